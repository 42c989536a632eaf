import * as Type from 'typebox';
import { DurationSyntaxError, parseDuration } from '../parse-duration.js';
import type { Violation } from '../violation.js';

const REMEDY = 'use for example 10s, 1.5s or 1m30s';

/**
 * A Duration as it is written (SPEC 2.9, "Duration encoding"): `10s`, `1.5s`, `1m30s`. The type of the field is
 * the text; whoever needs a number reads it with `parseDuration`.
 */
export function durationField(options: { readonly description: string; readonly default?: string }) {
  return Type.String({ maxLength: 64, pattern: '^([0-9]+(\\.[0-9]+)?(h|m|s|ms|us|ns))+$', ...options });
}

/**
 * A duration is at least 1 ms and of whole milliseconds (BEHAVIOUR 7, "Primitives").
 *
 * @param zero what `0s` means; where it means nothing, it is refused
 */
export function* validateDuration(path: string, value: string | undefined, zero: 'refused' | 'allowed' = 'refused') {
  if (value === undefined) return;
  const problem = problemOf(value, zero);
  if (problem !== undefined) yield { path, value, ...problem } satisfies Violation;
}

function problemOf(value: string, zero: 'refused' | 'allowed'): Pick<Violation, 'message' | 'remedy'> | undefined {
  try {
    const milliseconds = parseDuration(value);
    if (milliseconds === 0 && zero === 'allowed') return undefined;
    if (milliseconds < 1) return { message: 'is shorter than 1ms', remedy: REMEDY };
    return Number.isInteger(milliseconds)
      ? undefined
      : { message: 'is finer than a millisecond', remedy: 'round it to milliseconds' };
  } catch (error) {
    if (error instanceof DurationSyntaxError) return { message: 'is not a duration', remedy: REMEDY };
    throw error;
  }
}
