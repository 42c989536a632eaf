import { readFileSync } from 'node:fs';

/** Nanoseconds on a processor, nanoseconds of waits for one, and time slices of the thread that reads the file. */
const SCHEDULED = '/proc/thread-self/schedstat';

/**
 * Processor time that one run of synchronous work takes in this thread. Neither other programs nor the tests of other files,
 * which run in threads of the same process, are part of it.
 *
 * For the absolute bound of a run. The ratio of two runs of milliseconds needs `shortestMs`.
 */
export function processorMs(work: () => void): number {
  const startMs = threadProcessorMs();
  work();
  return threadProcessorMs() - startMs;
}

/** Processor time of this thread until now; where the system does not tell it, of the whole process. */
export function threadProcessorMs(): number {
  try {
    return Number(readFileSync(SCHEDULED, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
