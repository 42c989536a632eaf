import { readFileSync } from 'node:fs';

const SAMPLE_INTERVAL_MS = 100;

/** Watches the resident memory of a process. */
export interface MemoryWatch {
  /** Highest value since the watch began, in bytes. */
  peak(): number;
  stop(): void;
}

/** Samples VmRSS ten times a second; a process that has ended keeps its last peak. */
export function watchResidentMemory(processId: number): MemoryWatch {
  let peak = 0;
  const sample = (): void => {
    try {
      const status = readFileSync(`/proc/${processId}/status`, 'utf8');
      peak = Math.max(peak, Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // The process has ended.
    }
  };
  sample();
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS);
  return { peak: () => peak, stop: () => clearInterval(timer) };
}
