import type { Clock } from '../base/clock.js';
import { type TurnOwner, type Waiting, WaitingTargets } from './waiting-targets.js';
import type { Work } from './work.js';

/**
 * Runs computations in slices, so that a large one does not block the event loop. Peers take turns, and within a peer
 * its sources do: a peer with many computations gets as much time as one with a single computation.
 */
export interface WorkRunner {
  /**
   * Runs the first slice at once, and the rest in later turns of the event loop. For callers that limit how much they
   * begin in one turn of the event loop.
   *
   * @param owner the peer that the work is for
   * @param isOrdered whether it begins when all such works of the peer that came before have ended; default false. For
   *   large answers: side by side, all of them would be kept in memory, and all would end late
   * @returns undefined if the first slice was enough; otherwise settles with the work
   * @throws what the first slice throws
   */
  run(owner: TurnOwner, work: Work<void>, isOrdered?: boolean): Promise<void> | undefined;
  /**
   * The same, but at once only if no other work waits and this turn of the event loop has time left. For work that
   * peers can begin without limit: it must not run before the work of others.
   */
  runInTurn(owner: TurnOwner, work: Work<void>): Promise<void> | undefined;
  /** Computations that are not finished. */
  readonly waiting: number;
  /** Drops unfinished computations; their promises never settle. */
  stop(): void;
}

/** Time of the first slice of a computation. */
const FIRST_SLICE_MS = 4;
/**
 * Time of all computations together in one turn of the event loop; first slices of `runInTurn` have the same time
 * again.
 */
const SLICE_MS = 6;

interface Job extends Waiting {
  readonly work: Work<void>;
  readonly isOrdered: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

export function createWorkRunner(clock: Clock): WorkRunner {
  const jobs = new WaitingTargets<Job>();
  /** Ordered computations that wait for the end of another one of their peer, by peer. */
  const lines = new Map<string, Job[]>();
  /** Includes the running computation. */
  let unfinished = 0;
  /** Time that first slices of `runInTurn` took since the last slice. */
  let takenMs = 0;
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
    takenMs = 0;
    if (stopped || jobs.size === 0) return;
    const untilMs = clock.monotonicMs() + SLICE_MS;
    do {
      const job = jobs.take();
      if (job === undefined) return;
      if (!isOver(job, untilMs)) jobs.add(job);
    } while (clock.monotonicMs() < untilMs);
    if (jobs.size > 0) schedule();
  };

  const isOver = (job: Job, untilMs: number): boolean => {
    try {
      if (!advance(job.work, untilMs)) return false;
      job.resolve();
    } catch (error) {
      job.reject(error);
    }
    unfinished--;
    if (job.isOrdered) beginNext(job.share.peer);
    return true;
  };

  const beginNext = (peer: string): void => {
    const next = lines.get(peer)?.shift();
    if (next === undefined) lines.delete(peer);
    else jobs.add(next);
  };

  const runLater = (share: TurnOwner, work: Work<void>, isOrdered = false): Promise<void> => {
    unfinished++;
    return new Promise<void>((resolve, reject) => {
      const job = { share, work, isOrdered, resolve, reject };
      const line = isOrdered ? lines.get(share.peer) : undefined;
      if (line === undefined) jobs.add(job);
      else line.push(job);
      if (isOrdered && line === undefined) lines.set(share.peer, []);
      schedule();
    });
  };

  return {
    run: (owner, work, isOrdered = false) => {
      if (isOrdered && lines.has(owner.peer)) return runLater(owner, work, isOrdered);
      const isDone = advance(work, clock.monotonicMs() + FIRST_SLICE_MS);
      return isDone ? undefined : runLater(owner, work, isOrdered);
    },
    runInTurn: (owner, work) => {
      if (jobs.size > 0 || takenMs >= SLICE_MS) return runLater(owner, work);
      const startMs = clock.monotonicMs();
      // The next turn of the event loop has its own time.
      schedule();
      try {
        return advance(work, startMs + FIRST_SLICE_MS) ? undefined : runLater(owner, work);
      } finally {
        takenMs += clock.monotonicMs() - startMs;
      }
    },
    get waiting() {
      return unfinished;
    },
    stop: () => {
      stopped = true;
      jobs.clear();
      lines.clear();
    },
  };
}
