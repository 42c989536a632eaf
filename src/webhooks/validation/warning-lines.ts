import type { Violation } from '../../config/violation.js';
import type { AnalysisMessage } from '../../status/analysis/analysis-message.js';
import { MESSAGE_CODES } from '../../status/analysis/message-codes.js';

/** API servers cut longer lines. */
const MAX_LINE = 256;

/** A message as kubectl shows it. In a long one, a link to the documentation replaces the remedy. */
export function messageLine({ code, field, message }: AnalysisMessage): string {
  const head = field === undefined ? code : `${code}: ${field}`;
  const line = `${head}: ${message}`;
  if (line.length <= MAX_LINE) return line;
  const remedy = Object.values(MESSAGE_CODES).find((known) => known.code === code)?.remedy ?? '';
  const text = message.endsWith(`; ${remedy}`) ? message.slice(0, -remedy.length - 2) : message;
  const tail = `; see docs/analysis.md#${code.toLowerCase()}`;
  const room = MAX_LINE - head.length - 2 - tail.length;
  return `${head}: ${text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text}${tail}`;
}

export function unknownFieldLine({ path, remedy }: Violation): string {
  return `unknown field ${JSON.stringify(path)}: it has no effect; ${remedy}`;
}
