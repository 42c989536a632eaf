import type { ObjectKey } from '../../config/object.js';
import { MESSAGE_CODES, type MessageLevel, type MessageName } from './message-codes.js';

/** One thing that analysis found about one object. */
export interface AnalysisMessage {
  /** `MESHnnnn`, of the table in message-codes.ts. */
  readonly code: string;
  readonly level: MessageLevel;
  /** The object it is about; absent when it is about none. */
  readonly object?: ObjectKey;
  /** Path in the object, for example `spec.services[0]`; absent when it is about the whole. */
  readonly field?: string;
  /** What was found, and what to do about it. */
  readonly message: string;
}

/** @param text what was found here, without the remedy, which the code's table adds */
export function createMessage(
  name: MessageName,
  where: Pick<AnalysisMessage, 'object' | 'field'>,
  text: string,
): AnalysisMessage {
  const { code, level, remedy } = MESSAGE_CODES[name];
  return { code, level, ...where, message: `${text}; ${remedy}` };
}

/** By object, then field, then code, then text. */
export function compareMessages(first: AnalysisMessage, second: AnalysisMessage): number {
  const [a, b] = [identityOf(first), identityOf(second)];
  return a < b ? -1 : Number(a > b);
}

/** Equal for equal messages. */
export function identityOf({ object = '', field = '', code, message }: AnalysisMessage): string {
  return [object, field, code, message].join('\0');
}
