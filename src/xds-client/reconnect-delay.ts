const BASE_MS = 250;
const MAX_MS = 15_000;

/**
 * How long to wait before the next attempt to connect: twice as long each time up to 15 s, of which a random half is left
 * out, so that many clients of one server do not come back together.
 *
 * @param failures attempts that failed since the last success, from 1
 * @param random uniform in [0, 1)
 */
export function reconnectDelayMs(failures: number, random: () => number): number {
  const longest = Math.min(MAX_MS, BASE_MS * 2 ** (failures - 1));
  return longest * (0.5 + 0.5 * random());
}
