/**
 * A computation in steps: a caller that must not block the event loop pauses between them. It reads its inputs from
 * objects that never change, so that a pause does not alter the result.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Runs all steps without a pause. */
export function inOneStep<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A computation that has one step. */
// biome-ignore lint/correctness/useYield: it has no pause
export function* stepOf<Result>(compute: () => Result): Steps<Result> {
  return compute();
}

/** Passes items through, and ends a step after every few of them. */
export function* collectInSteps<Item>(items: Iterable<Item>, atOnce: number): Steps<readonly Item[]> {
  const collected: Item[] = [];
  for (const item of items) {
    collected.push(item);
    if (collected.length % atOnce === 0) yield;
  }
  return collected;
}

/** One computation with several readers. Each reader advances it, and all of them get its result. */
export interface SharedSteps<T> {
  follow(): Steps<T>;
}

/** @throws the error of the computation, in every reader */
export function shareSteps<T>(work: Steps<T>): SharedSteps<T> {
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

/** Computations that several callers may begin while the first one pauses. */
export interface StepsByObject<Key extends object, Result> {
  /** Joins the computation for the object if there is one, and begins it otherwise. */
  follow(key: Key, begin: () => Steps<Result>): Steps<Result>;
}

/** Keeps no result: a computation that has ended is begun again. */
export function createStepsByObject<Key extends object, Result>(): StepsByObject<Key, Result> {
  const running = new WeakMap<Key, SharedSteps<Result>>();
  return {
    *follow(key, begin) {
      let shared = running.get(key);
      if (shared === undefined) {
        shared = shareSteps(begin());
        running.set(key, shared);
      }
      try {
        return yield* shared.follow();
      } finally {
        if (running.get(key) === shared) running.delete(key);
      }
    },
  };
}
