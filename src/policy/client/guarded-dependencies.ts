import type { Clock } from '../../base/clock.js';

/** What of the embedder's failed. */
export type FailedPart = 'clock' | 'random' | 'publishStatistics' | 'timer' | 'check';

/** Told of each failure of what the embedder passed in. What it throws itself is dropped. */
export type OnClientError = (error: unknown, part: FailedPart) => void;

/** The function, so that nothing comes out of it: neither an exception nor a rejected promise. */
export function guardedErrors(onError: OnClientError | undefined): OnClientError {
  return (error, part) => {
    try {
      const result = onError?.(error, part) as unknown;
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // There is no one else to tell.
    }
  };
}

/**
 * The clock, so that reading the time never throws, and nothing comes out of a timer: an exception in one ends the
 * process. `schedule` still throws where the embedder's does: each caller knows how to do without a timer.
 */
export function guardedClock(clock: Clock, onError: OnClientError): Clock {
  let lastMs = 0;
  let lastTime = new Date(0);
  return {
    monotonicMs: () => {
      try {
        const nowMs = clock.monotonicMs();
        if (typeof nowMs === 'number' && !Number.isNaN(nowMs)) lastMs = nowMs;
      } catch (error) {
        onError(error, 'clock');
      }
      return lastMs;
    },
    now: () => {
      try {
        lastTime = clock.now();
      } catch (error) {
        onError(error, 'clock');
      }
      return lastTime;
    },
    schedule: (delayMs, callback) => {
      const cancel = clock.schedule(delayMs, () => {
        try {
          callback();
        } catch (error) {
          onError(error, 'timer');
        }
      });
      return () => {
        try {
          cancel();
        } catch (error) {
          onError(error, 'clock');
        }
      };
    },
  };
}

/** The function, so that it gives a number in [0, 1) whatever the embedder's gives. */
export function guardedRandom(random: () => number, onError: OnClientError): () => number {
  return () => {
    try {
      const value = random();
      if (value >= 0 && value < 1) return value;
    } catch (error) {
      onError(error, 'random');
    }
    return 0.5;
  };
}

/** The function, so that neither what it throws nor a promise that it returns and that rejects ends the process. */
export function guardedPublisher<T>(publish: (value: T) => unknown, onError: OnClientError): (value: T) => void {
  const fail = (error: unknown): void => onError(error, 'publishStatistics');
  return (value) => {
    try {
      const result = publish(value);
      if (result instanceof Promise) result.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}
