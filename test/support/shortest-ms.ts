/**
 * The shortest of some runs of synchronous work: other programs, compilation and garbage collection prolong any of them, but
 * hardly all.
 *
 * For the ratio of two runs of milliseconds. An absolute bound needs one run only: `processorMs`.
 */
export function shortestMs(run: () => void, rounds = 5): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - startMs);
  }
  return shortest;
}
