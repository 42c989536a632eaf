import { DurationSyntaxError, parseDuration } from '../parse-duration.js';
import { isHostAndPort } from '../primitives.js';
import type { Violation } from '../violation.js';

/** A duration of whole milliseconds: none at all where `minimumMs` is 0, else at least that. */
export function validateDuration(path: string, value: string, minimumMs: number): readonly Violation[] {
  const remedy = 'use for example 300ms, 1.5s or 10m';
  try {
    const milliseconds = parseDuration(value);
    if (milliseconds < minimumMs) return [{ path, value, message: `is below ${minimumMs}ms`, remedy }];
    if (!Number.isInteger(milliseconds)) {
      return [{ path, value, message: 'is finer than a millisecond', remedy: 'round it to milliseconds' }];
    }
    return [];
  } catch (error) {
    if (error instanceof DurationSyntaxError) return [{ path, value, message: 'is not a duration', remedy }];
    throw error;
  }
}

/** `host:port`, or nothing. */
export function validateAddress(path: string, value: string, remedy = 'use host:port'): readonly Violation[] {
  if (value === '' || isHostAndPort(value)) return [];
  return [{ path, value, message: 'is not an address', remedy }];
}
