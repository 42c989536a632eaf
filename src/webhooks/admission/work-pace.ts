import type { Clock } from '../../base/clock.js';
import { pause } from '../../kubernetes/watch/pause.js';

/** Does work whose cost its caller chooses, and leaves as much time to the rest of the process. */
export interface WorkPace {
  /** @throws when the signal is aborted before its turn */
  run<Result>(work: () => Result, signal: AbortSignal): Promise<Result>;
}

/** Ordinary work takes a millisecond or two, and is followed by the next at once. */
const HEAVY_MS = 20;

/**
 * After heavy work there is a rest of the same length before the next: whoever can reach the webhook can send objects
 * that take a second each, but proxies are served meanwhile.
 *
 * @param cpuMs processor time that this process has used; where it waits for a processor, work is not heavy
 */
export function createWorkPace(clock: Clock, cpuMs = processCpuMs): WorkPace {
  let restUntilMs = 0;
  // To ask for it costs as much as a tenth of ordinary work: one answer serves a while, and counts as if the processor
  // had been used ever since.
  let known = { atMs: Number.NEGATIVE_INFINITY, cpuMs: 0 };
  const usedBy = (nowMs: number): number => {
    if (nowMs - known.atMs > HEAVY_MS / 2) known = { atMs: nowMs, cpuMs: cpuMs() };
    return known.cpuMs + nowMs - known.atMs;
  };
  return {
    run: async (work, signal) => {
      for (let nowMs = clock.monotonicMs(); nowMs < restUntilMs; nowMs = clock.monotonicMs()) {
        await pause(clock, restUntilMs - nowMs, signal);
        if (signal.aborted) throw new Error('nobody waits for it any more');
      }
      const startMs = clock.monotonicMs();
      const usedBefore = usedBy(startMs);
      try {
        return work();
      } finally {
        const nowMs = clock.monotonicMs();
        const tookMs = nowMs - startMs > HEAVY_MS ? cpuMs() - usedBefore : 0;
        if (tookMs > HEAVY_MS) restUntilMs = nowMs + tookMs;
      }
    },
  };
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
