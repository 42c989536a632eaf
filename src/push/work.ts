/**
 * A computation that can pause: it yields every few hundred microseconds, so that one request cannot keep the event
 * loop. Runs to its end at once under `finish`, or in slices under a WorkRunner.
 */
export type Work<T> = Generator<void, T, void>;

/** Runs a computation to its end without a pause. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** One computation with many readers: each reader moves it on, and all of them get its result. */
export interface SharedWork<T> {
  follow(): Work<T>;
}

/** @throws for every reader what the computation throws */
export function shareWork<T>(work: Work<T>): SharedWork<T> {
  let result: { readonly value: T } | undefined;
  let failure: { readonly error: unknown } | undefined;
  const step = (): void => {
    try {
      const next = work.next();
      if (next.done === true) result = { value: next.value };
    } catch (error) {
      failure = { error };
    }
  };
  return {
    *follow() {
      for (;;) {
        if (failure !== undefined) throw failure.error;
        if (result !== undefined) return result.value;
        step();
        if (result === undefined) yield;
      }
    },
  };
}
