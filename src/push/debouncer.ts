import { mergePushRequests, type PushRequest } from '../model/push-request.js';
import type { Clock } from '../telemetry/clock.js';

export interface DebounceSettings {
  /** NAV_DEBOUNCE_AFTER: a push waits until nothing has changed for this long. */
  readonly afterMs: number;
  /** NAV_DEBOUNCE_MAX: but never longer than this. */
  readonly maxMs: number;
  /** NAV_ENABLE_EDS_DEBOUNCE: when false, endpoint-only changes go out at once. */
  readonly debounceEndpoints: boolean;
}

export interface Debouncer {
  submit(request: PushRequest): void;
  /** Drops what is waiting. */
  stop(): void;
}

/**
 * Merges changes until they are quiet (BEHAVIOUR 5, "Debounce"). `push` runs to completion before the next
 * one can start, so a burst never overtakes itself.
 */
export function createDebouncer(
  settings: DebounceSettings,
  clock: Clock,
  push: (request: PushRequest) => void,
): Debouncer {
  let pending: PushRequest | undefined;
  let firstMs = 0;
  let lastMs = 0;
  let cancel: (() => void) | undefined;

  const arm = (): void => {
    const quietAt = lastMs + settings.afterMs;
    const latest = firstMs + settings.maxMs;
    cancel = clock.schedule(Math.max(0, Math.min(quietAt, latest) - clock.monotonicMs()), fire);
  };

  const fire = (): void => {
    cancel = undefined;
    if (pending === undefined) return;
    const now = clock.monotonicMs();
    if (now < lastMs + settings.afterMs && now < firstMs + settings.maxMs) {
      arm();
      return;
    }
    const request = pending;
    pending = undefined;
    push(request);
  };

  return {
    submit: (request) => {
      if (!settings.debounceEndpoints && !request.full) {
        push(request);
        return;
      }
      lastMs = clock.monotonicMs();
      if (pending === undefined) {
        pending = request;
        firstMs = lastMs;
      } else {
        pending = mergePushRequests(pending, request);
      }
      // A running timer checks for later changes when it fires: no timer is rebuilt per change.
      if (cancel === undefined) arm();
    },
    stop: () => {
      cancel?.();
      cancel = undefined;
      pending = undefined;
    },
  };
}
