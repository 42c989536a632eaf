import type { Clock } from '../telemetry/clock.js';
import type { Work } from './work.js';

/** Runs computations in slices, so that none of them keeps the event loop, whatever its size. */
export interface WorkRunner {
  /**
   * Runs the first slice at once, and what is left in later turns of the event loop, each owner in its turn.
   *
   * @param owner the peer that the work is for: a peer with many computations gets as much time as one with a single one
   * @returns undefined when the first slice was enough; else settles with the work
   * @throws what the first slice throws
   */
  run(owner: string, work: Work<void>): Promise<void> | undefined;
  /** Computations that are not finished. */
  readonly waiting: number;
  /** Drops what is not finished: its promises never settle. */
  stop(): void;
}

/** What a caller may take of the event loop at once, before its work goes on in slices. */
const FIRST_SLICE_MS = 4;
/** What all computations together may take of one turn of the event loop. */
const SLICE_MS = 6;

interface Job {
  readonly work: Work<void>;
  resolve(): void;
  reject(error: unknown): void;
}

export function createWorkRunner(clock: Clock): WorkRunner {
  /** By owner, the one that is next first. */
  const queues = new Map<string, Job[]>();
  let waiting = 0;
  let scheduled = false;
  let stopped = false;

  /** @returns whether the work has ended */
  const advance = (work: Work<void>, untilMs: number): boolean => {
    do {
      if (work.next().done === true) return true;
    } while (clock.monotonicMs() < untilMs);
    return false;
  };

  const schedule = (): void => {
    if (scheduled || stopped) return;
    scheduled = true;
    setImmediate(runSlice);
  };

  const runSlice = (): void => {
    scheduled = false;
    if (stopped) return;
    const untilMs = clock.monotonicMs() + SLICE_MS;
    for (;;) {
      const [next] = queues;
      if (next === undefined) return;
      const [owner, jobs] = next;
      queues.delete(owner);
      const job = jobs.shift();
      if (job !== undefined && !isOver(job, untilMs)) jobs.push(job);
      if (jobs.length > 0) queues.set(owner, jobs);
      if (clock.monotonicMs() >= untilMs) break;
    }
    if (queues.size > 0) schedule();
  };

  const isOver = (job: Job, untilMs: number): boolean => {
    try {
      if (!advance(job.work, untilMs)) return false;
      job.resolve();
    } catch (error) {
      job.reject(error);
    }
    waiting--;
    return true;
  };

  return {
    run: (owner, work) => {
      if (advance(work, clock.monotonicMs() + FIRST_SLICE_MS)) return undefined;
      waiting++;
      return new Promise<void>((resolve, reject) => {
        const job = { work, resolve, reject };
        const jobs = queues.get(owner);
        if (jobs === undefined) queues.set(owner, [job]);
        else jobs.push(job);
        schedule();
      });
    },
    get waiting() {
      return waiting;
    },
    stop: () => {
      stopped = true;
      queues.clear();
    },
  };
}
