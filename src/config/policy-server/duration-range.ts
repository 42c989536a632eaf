import { DurationSyntaxError, parseDuration } from '../parse-duration.js';
import type { Violation } from '../violation.js';

/** The longest that a duration may be, and how that is said. */
export interface DurationLimit {
  readonly mostMs: number;
  readonly message: string;
  readonly remedy: string;
}

/** A duration of whole milliseconds, at least one (BEHAVIOUR 7, "Primitives"). What is absent is in order. */
export function* validateDurationRange(path: string, value: string | undefined, limit: DurationLimit) {
  if (value === undefined) return;
  const problem = problemOf(value, limit);
  if (problem !== undefined) yield { path, value, ...problem } satisfies Violation;
}

function problemOf(value: string, limit: DurationLimit): Pick<Violation, 'message' | 'remedy'> | undefined {
  const remedy = 'use for example 500ms, 1.5s or 10m';
  try {
    const milliseconds = parseDuration(value);
    if (milliseconds < 1) return { message: 'is shorter than 1ms', remedy };
    if (!Number.isInteger(milliseconds)) {
      return { message: 'is finer than a millisecond', remedy: 'round it to milliseconds' };
    }
    if (milliseconds <= limit.mostMs) return undefined;
    return { message: limit.message, remedy: limit.remedy };
  } catch (error) {
    if (error instanceof DurationSyntaxError) return { message: 'is not a duration', remedy };
    throw error;
  }
}
