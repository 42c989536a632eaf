import type { Clock } from './clock.js';

/** Settles with a promise, or after a time in milliseconds. */
export async function settledWithin(promise: Promise<void>, withinMs: number, clock: Clock): Promise<void> {
  let cancel = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    cancel = clock.schedule(withinMs, resolve);
  });
  await Promise.race([promise, late]);
  cancel();
}
