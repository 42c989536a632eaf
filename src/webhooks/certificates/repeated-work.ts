import type { Clock } from '../../base/clock.js';

/** Work that is done whenever something has changed, once at a time. */
export interface RepeatedWork {
  /** Asks for it to be done now, or once more when it is being done. */
  request(): void;
  /** Settles when it is not being done any more. */
  stop(): Promise<void>;
}

/** @param work must not reject; it says in how many milliseconds it is to be done again, undefined for when asked */
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
