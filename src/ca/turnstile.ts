import type { Clock } from '../telemetry/clock.js';

/** Lets so many through at once; the others wait, in the order in which they came. */
export interface Turnstile {
  /** @throws TurnstileError when too many wait already, or its turn does not come in time */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface TurnstileSettings {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

export class TurnstileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TurnstileError';
  }
}

export function createTurnstile({ maxConcurrent, maxWaiting, maxWaitMs }: TurnstileSettings, clock: Clock): Turnstile {
  let running = 0;
  // A set keeps the order, and lets go of whoever gives up in the middle.
  const waiting = new Set<() => void>();

  const turn = (): Promise<void> | undefined => {
    if (running < maxConcurrent) {
      running++;
      return undefined;
    }
    if (waiting.size >= maxWaiting) throw new TurnstileError(`${waiting.size} wait already`);
    return new Promise((resolve, reject) => {
      const cancelTimeout = clock.schedule(maxWaitMs, () => {
        waiting.delete(enter);
        reject(new TurnstileError(`its turn did not come within ${maxWaitMs / 1000}s`));
      });
      const enter = (): void => {
        cancelTimeout();
        resolve();
      };
      waiting.add(enter);
    });
  };
  /** Whoever waits longest takes the place over, so that nobody slips in between. */
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      running--;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    run: async (work) => {
      await turn();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
