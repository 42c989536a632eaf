import { DurationSyntaxError, parseDuration } from '../base/parse-duration.js';
import type { Violation } from './violation.js';

/** The rules of one duration field. */
export interface DurationRules {
  /** Whether `0s` is valid. Default: it is too short. */
  readonly zero?: 'allowed';
  /** The longest valid duration, and the violation of a longer one. Default: no limit. */
  readonly longest?: { readonly milliseconds: number; readonly message: string; readonly remedy: string };
}

const REMEDY = 'use for example 500ms, 1.5s or 10m';

/**
 * A duration is a whole number of milliseconds, at least one (docs/reference/validation-rules.md#primitives).
 *
 * @param value undefined is valid: the field is optional
 */
export function* validateDuration(path: string, value: string | undefined, rules: DurationRules = {}) {
  if (value === undefined) return;
  const problem = problemOf(value, rules);
  if (problem !== undefined) yield { path, value, ...problem } satisfies Violation;
}

function problemOf(value: string, { zero, longest }: DurationRules): Pick<Violation, 'message' | 'remedy'> | undefined {
  try {
    const milliseconds = parseDuration(value);
    if (milliseconds === 0 && zero === 'allowed') return undefined;
    if (milliseconds < 1) return { message: 'is shorter than 1ms', remedy: REMEDY };
    if (!Number.isInteger(milliseconds)) {
      return { message: 'is finer than a millisecond', remedy: 'round it to milliseconds' };
    }
    if (longest === undefined || milliseconds <= longest.milliseconds) return undefined;
    return { message: longest.message, remedy: longest.remedy };
  } catch (error) {
    if (error instanceof DurationSyntaxError) return { message: 'is not a duration', remedy: REMEDY };
    throw error;
  }
}
