import { errorText } from '../../base/error-text.js';
/** The result of one check. */
export interface CheckResult {
  /** What was checked: `clock`, `CRDs`. */
  readonly check: string;
  /** The server or cluster that it concerns. */
  readonly subject: string;
  /** `skipped`: the check could not be made. */
  readonly level: 'ok' | 'warning' | 'error' | 'skipped';
  readonly message: string;
  /** Absent if nothing is to be done. */
  readonly remedy?: string;
}

/** Makes the results of one check about one subject. */
export interface Check {
  ok(message: string): CheckResult;
  warning(message: string, remedy: string): CheckResult;
  error(message: string, remedy: string): CheckResult;
}

export function checkOf(check: string, subject: string): Check {
  return {
    ok: (message) => ({ check, subject, level: 'ok', message }),
    warning: (message, remedy) => ({ check, subject, level: 'warning', message, remedy }),
    error: (message, remedy) => ({ check, subject, level: 'error', message, remedy }),
  };
}

/** Replaces the results of a check that cannot be made by one that says why. */
export async function orSkipped(
  check: string,
  subject: string,
  work: () => Promise<readonly CheckResult[]>,
): Promise<readonly CheckResult[]> {
  try {
    return await work();
  } catch (error) {
    const message = errorText(error);
    return [{ check, subject, level: 'skipped', message }];
  }
}
