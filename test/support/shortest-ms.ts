/** The shortest of some runs: on a machine that does other things as well, any of them may be interrupted. */
export function shortestMs(run: () => void, rounds = 5): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - startMs);
  }
  return shortest;
}
