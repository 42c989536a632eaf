import type { Clock } from '../../base/clock.js';
import type { Steps } from '../../base/steps.js';

/** Runs long work in slices, between other work of the process. Each step takes a few milliseconds at most. */
export interface PacedWork {
  /**
   * The result without a promise when no other work waits and one slice is enough; otherwise a promise.
   *
   * @param owner owners take turns, so that an owner with much work delays only its own
   */
  run<Result>(owner: string, work: Steps<Result>): Result | Promise<Result>;
}

export interface PacedWorkOptions {
  readonly clock: Clock;
  /** Settles after other work had its turn, as setImmediate does. */
  readonly yieldTurn: () => Promise<void>;
  /** Default 2 ms, which checks that arrive meanwhile wait; a step that has begun is finished. */
  readonly sliceMs?: number;
}

interface Job {
  /** Does steps for one slice. Whether the job is done. */
  advance(): boolean;
}

export function createPacedWork({ clock, yieldTurn, sliceMs = 2 }: PacedWorkOptions): PacedWork {
  const queues = new Map<string, Job[]>();
  let isTurnTaken = false;

  const loop = async (): Promise<void> => {
    isTurnTaken = true;
    // Also after finished work: later work of the same turn waits for the next turn.
    await yieldTurn();
    for (let next = queues.entries().next(); !next.done; next = queues.entries().next()) {
      const [owner, jobs] = next.value;
      // Moved to the end: the next slice belongs to another owner.
      queues.delete(owner);
      if (jobs[0]?.advance()) jobs.shift();
      if (jobs.length > 0) queues.set(owner, jobs);
      await yieldTurn();
    }
    isTurnTaken = false;
  };
  const slice = <Result>(work: Steps<Result>): IteratorResult<void, Result> => {
    const untilMs = clock.monotonicMs() + sliceMs;
    let step = work.next();
    while (!step.done && clock.monotonicMs() < untilMs) step = work.next();
    return step;
  };
  const enqueue = <Result>(owner: string, work: Steps<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const advance = (): boolean => {
        try {
          const step = slice(work);
          if (step.done) resolve(step.value);
          return step.done === true;
        } catch (error) {
          reject(error);
          return true;
        }
      };
      const jobs = queues.get(owner) ?? [];
      jobs.push({ advance });
      queues.set(owner, jobs);
    });

  return {
    run: (owner, work) => {
      if (isTurnTaken) return enqueue(owner, work);
      void loop();
      const step = slice(work);
      return step.done ? step.value : enqueue(owner, work);
    },
  };
}
