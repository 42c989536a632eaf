import type { Clock } from '../../base/clock.js';

export interface Debounced {
  trigger(): void;
  cancel(): void;
}

export interface DebounceOptions {
  readonly clock: Clock;
  /** The action runs this long after the last trigger. */
  readonly quietMs: number;
  /** The action runs at most this long after the first trigger. */
  readonly maxMs: number;
}

/** Runs an action once for a burst of triggers. */
export function createDebounced(action: () => void, { clock, quietMs, maxMs }: DebounceOptions): Debounced {
  let firstMs: number | undefined;
  let cancelTimer: (() => void) | undefined;
  const cancel = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    firstMs = undefined;
  };
  return {
    trigger: () => {
      const nowMs = clock.monotonicMs();
      firstMs ??= nowMs;
      cancelTimer?.();
      cancelTimer = clock.schedule(Math.max(0, Math.min(quietMs, firstMs + maxMs - nowMs)), () => {
        cancel();
        action();
      });
    },
    cancel,
  };
}
