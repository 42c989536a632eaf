import type { Clock } from '../../base/clock.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';

/** Work that runs after each change, one run at a time. */
export interface RepeatedWork {
  /** Starts a run now, or another one after the present run. */
  request(): void;
  /** Settles when the last run has ended. */
  stop(): Promise<void>;
}

/** @param work must not reject; returns the milliseconds until the next run, or undefined to wait for a request */
export function createRepeatedWork(work: () => Promise<number | undefined>, clock: Clock): RepeatedWork {
  let isDue = false;
  let isStopped = false;
  let running: Promise<void> | undefined;
  let cancelNext = (): void => undefined;

  const run = async (): Promise<void> => {
    while (isDue && !isStopped) {
      isDue = false;
      cancelNext();
      const againMs = await work();
      if (againMs !== undefined && !isStopped) cancelNext = clock.schedule(againMs, request);
    }
    running = undefined;
  };
  const request = (): void => {
    if (isStopped) return;
    isDue = true;
    running ??= run();
  };
  return {
    request,
    stop: async () => {
      isStopped = true;
      cancelNext();
      await running;
    },
  };
}

/** A sink that only reports changes of a list; the receiver reads the objects itself. */
export function createChangeSink(onChange: () => void): ReflectorSink {
  return {
    replace: () => ({ add: () => undefined, commit: onChange }),
    apply: onChange,
    isEmpty: () => true,
  };
}
