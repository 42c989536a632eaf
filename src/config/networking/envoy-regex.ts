import { regexSize } from '../regex/regex-size.js';
import type { Violation } from '../violation.js';

/** Envoy's RE2 compiles to bytes: a class of characters outside of ASCII takes many instructions. */
const INSTRUCTIONS_PER_UNICODE_CLASS = 600;
const INSTRUCTIONS_PER_CLASS = 16;
/** RE2 compiles at most 87,000 instructions in the memory that it allows itself. */
const MAX_INSTRUCTIONS = 50_000;

/** Finds expressions that Envoy would reject although RE2 syntax allows them: with them it rejects the route table. */
export function* validateEnvoyRegex(path: string, regex: string | undefined): Iterable<Violation> {
  if (regex === undefined) return;
  const size = regexSize(regex);
  if (size.type === 'oversized') return;
  const worst = /\\[pP]|[^\x20-\x7e]|\(\?[a-zA-Z]*i/.test(regex)
    ? INSTRUCTIONS_PER_UNICODE_CLASS
    : INSTRUCTIONS_PER_CLASS;
  const instructions = /[.[\\]|[^\x20-\x7e]|\(\?/.test(regex) ? size.instructions * worst : size.instructions;
  if (instructions <= MAX_INSTRUCTIONS) return;
  yield {
    path,
    value: regex,
    message: 'repeats its classes of characters more often than Envoy accepts',
    remedy: 'repeat less often, or use classes of ASCII characters such as [a-z]',
  };
}
