import { setTimeout as delay } from 'node:timers/promises';

export interface EventuallyOptions {
  /** How long the condition may take; default 60,000, because other programs may use the processors at the same time. */
  readonly timeoutMs?: number;
  /** Pause between two looks; default 10. */
  readonly intervalMs?: number;
}

/**
 * Waits until `look` returns a value other than undefined and false, and returns that value. A look that throws counts as
 * "not yet". The last look comes after the time, because this process may not have been scheduled meanwhile.
 *
 * @throws Error `<what>: not within <n> ms`, with the last error of `look` as its cause
 */
export async function eventually<Value>(
  what: string,
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  { timeoutMs = 60_000, intervalMs = 10 }: EventuallyOptions = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  for (let isLast = false; ; isLast = performance.now() >= deadline) {
    try {
      const value = await look();
      if (value !== undefined && value !== false) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (isLast) break;
    await delay(intervalMs);
  }
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  throw new Error(`${what}: not within ${timeoutMs} ms${reason}`, { cause });
}
