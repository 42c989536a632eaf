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
