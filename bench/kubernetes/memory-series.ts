import { readProcessUsage } from '../measure/process-usage.js';

export interface MemorySample {
  readonly atMs: number;
  readonly residentBytes: number;
}

/** Memory of a process over time. */
export interface MemorySeries {
  /** Takes samples until then, the last one now. */
  stop(): Promise<readonly MemorySample[]>;
}

const SAMPLE_EVERY_MS = 1000;

/** Looks at a process once a second. */
export function sampleMemory(pid: number, nowMs: () => number): MemorySeries {
  const samples: MemorySample[] = [];
  const take = async (): Promise<void> => {
    const usage = await readProcessUsage(pid);
    if (usage !== undefined) samples.push({ atMs: nowMs(), residentBytes: usage.residentBytes });
  };
  let taking = take();
  const timer = setInterval(() => {
    taking = taking.then(take);
  }, SAMPLE_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await taking;
      await take();
      return samples;
    },
  };
}
