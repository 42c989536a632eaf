/**
 * A computation that can pause: it yields every few hundred microseconds, so that one request does not block the event
 * loop. `finish` runs it to its end at once, a WorkRunner runs it in slices.
 */
export type Work<T> = Generator<void, T, void>;

/** Runs a computation to its end without a pause. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** One computation with several readers. Each reader advances it, and all of them get its result. */
export interface SharedWork<T> {
  follow(): Work<T>;
}

/** @throws the error of the computation, in every reader */
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
