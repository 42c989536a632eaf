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

/**
 * Average growth of memory, in bytes per minute: the slope of a straight line through the samples (least squares). The
 * first third is left out, because a heap first grows to the size that the load needs. NaN for fewer than two samples.
 */
export function slopeOf(samples: readonly MemorySample[]): number {
  const counted = samples.slice(Math.floor(samples.length / 3));
  const meanOf = (read: (sample: MemorySample) => number): number =>
    counted.reduce((sum, sample) => sum + read(sample), 0) / counted.length;
  const [meanMs, meanBytes] = [meanOf(({ atMs }) => atMs), meanOf(({ residentBytes }) => residentBytes)];
  let [together, spread] = [0, 0];
  for (const { atMs, residentBytes } of counted) {
    together += (atMs - meanMs) * (residentBytes - meanBytes);
    spread += (atMs - meanMs) ** 2;
  }
  return (together / spread) * 60_000;
}
