import type { NetworkFailPolicy } from './network-fail-policy.js';

/**
 * How long to wait before the next attempt: uniform between the base wait and `base · 2^retries`, never above the
 * maximum (SPEC 2.10; BEHAVIOUR 6, "Retry"). The first retry therefore waits for the base wait exactly. A maximum below
 * the base wins.
 *
 * @param retries how many retries were made before, from 0
 * @param random uniform in [0, 1)
 * @returns milliseconds
 */
export function retryDelayMs(
  retries: number,
  { baseRetryWaitMs, maxRetryWaitMs }: Pick<NetworkFailPolicy, 'baseRetryWaitMs' | 'maxRetryWaitMs'>,
  random: () => number,
): number {
  const longest = Math.min(maxRetryWaitMs, baseRetryWaitMs * 2 ** retries);
  const shortest = Math.min(baseRetryWaitMs, longest);
  return shortest + random() * (longest - shortest);
}
