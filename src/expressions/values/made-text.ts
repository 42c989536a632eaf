import { MAX_MADE_TEXT } from '../expression-limits.js';
import { Failure } from './failure.js';

/** Fails instead of making a text that is too long. */
export function checkTextLength(length: number): Failure | undefined {
  return length > MAX_MADE_TEXT
    ? new Failure(`the expression makes a text of ${length} characters, but may make at most ${MAX_MADE_TEXT}`)
    : undefined;
}
