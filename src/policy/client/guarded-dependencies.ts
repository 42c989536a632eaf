import type { Clock } from '../../base/clock.js';

/** The part of the embedder's code that failed. */
export type FailedPart = 'clock' | 'random' | 'publishStatistics' | 'timer' | 'check';

/** Gets each failure of the embedder's functions. Its own exceptions are dropped. */
export type OnClientError = (error: unknown, part: FailedPart) => void;

/** Wraps the function so that it neither throws nor rejects. */
export function guardedErrors(onError: OnClientError | undefined): OnClientError {
  return (error, part) => {
    try {
      const result = onError?.(error, part) as unknown;
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // No other receiver of errors is left.
    }
  };
}

/**
 * Wraps the clock so that reading the time never throws, and no exception leaves a timer: it would end the process.
 * `schedule` still throws when the clock of the embedder throws: each caller can work without a timer.
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

/** Wraps the function so that its result is always in [0, 1). */
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

/** Wraps the function so that neither its exception nor its rejected promise ends the process. */
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
