import type { Clock } from '../../base/clock.js';
import { pause } from '../../kubernetes/watch/pause.js';

/** Runs work whose cost the caller determines, and leaves as much time to the rest of the process. */
export interface WorkPace {
  /** @throws if the signal is aborted before the work begins */
  run<Result>(work: () => Result, signal: AbortSignal): Promise<Result>;
}

/** Ordinary work takes one or two milliseconds and needs no rest. */
const HEAVY_MS = 20;

/**
 * Heavy work is followed by a rest of the same length: a caller of the webhook can send objects that take a second
 * each, but the process continues to serve proxies.
 *
 * @param cpuMs returns the processor time of this process, because time without a processor does not make work heavy
 */
export function createWorkPace(clock: Clock, cpuMs = processCpuMs): WorkPace {
  let restUntilMs = 0;
  // Reading the processor time costs a tenth of ordinary work, so one reading serves for a while. Time after the
  // reading
  // counts as used.
  let known = { atMs: Number.NEGATIVE_INFINITY, cpuMs: 0 };
  const usedBy = (nowMs: number): number => {
    if (nowMs - known.atMs > HEAVY_MS / 2) known = { atMs: nowMs, cpuMs: cpuMs() };
    return known.cpuMs + nowMs - known.atMs;
  };
  return {
    run: async (work, signal) => {
      for (let nowMs = clock.monotonicMs(); nowMs < restUntilMs; nowMs = clock.monotonicMs()) {
        await pause(clock, restUntilMs - nowMs, signal);
        if (signal.aborted) throw new Error('the caller no longer waits');
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
