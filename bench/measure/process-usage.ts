import { readdir, readFile, writeFile } from 'node:fs/promises';

/** Processor time and memory of a process, from /proc. */
export interface ProcessUsage {
  /** Processor time of all its threads since it started, in seconds. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** The most that was resident since the start, or since resetPeak(). */
  readonly peakResidentBytes: number;
}

/** Clock ticks in /proc/<pid>/stat are hundredths of a second on every Linux that Node runs on (USER_HZ). */
const TICKS_PER_SECOND = 100;

/** Reads a process's usage; undefined where there is no /proc or no such process. */
export async function readProcessUsage(pid: number): Promise<ProcessUsage | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const cpuSeconds = (await readScheduledSeconds(pid)) ?? parseStatCpuSeconds(stat);
    return {
      cpuSeconds,
      residentBytes: parseStatusBytes(status, 'VmRSS'),
      peakResidentBytes: parseStatusBytes(status, 'VmHWM'),
    };
  } catch {
    return undefined;
  }
}

/** Makes the peak count from now on; without the right to do so, or without /proc, the old peak stays. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {});
}

/** User and system time from /proc/<pid>/stat, in seconds. The command in it may hold spaces and parentheses. */
export function parseStatCpuSeconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** One of the `Name:   123 kB` lines of /proc/<pid>/status, in bytes; 0 when it is not there. */
export function parseStatusBytes(status: string, name: string): number {
  const line = status.split('\n').find((candidate) => candidate.startsWith(`${name}:`));
  return line === undefined ? 0 : Number.parseInt(line.slice(name.length + 1), 10) * 1024;
}

/**
 * Time on a processor of all threads in nanosecond accounting: an endpoint change costs a few of stat's ticks, which
 * are too coarse to compare. Undefined where the kernel does not keep it.
 */
async function readScheduledSeconds(pid: number): Promise<number | undefined> {
  try {
    let nanoseconds = 0;
    for (const thread of await readdir(`/proc/${pid}/task`)) {
      const schedstat = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      nanoseconds += Number(schedstat.split(' ')[0]);
    }
    return nanoseconds > 0 ? nanoseconds / 1e9 : undefined;
  } catch {
    return undefined;
  }
}
