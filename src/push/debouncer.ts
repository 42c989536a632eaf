import type { Clock } from '../base/clock.js';
import type { PushRequest } from '../model/push-request.js';
import { createPendingPushes, type PendingTimes } from './pending-pushes.js';

export interface DebounceSettings extends PendingTimes {
  /** NAV_ENABLE_EDS_DEBOUNCE: when false, endpoint-only changes go out at once. */
  readonly debounceEndpoints: boolean;
}

export interface Debouncer {
  submit(request: PushRequest): void;
  /** Drops what is waiting. */
  stop(): void;
}

/**
 * Merges changes until they are quiet (docs/reference/xds.md#debounce). `push` runs to completion before the next one
 * can start, so a burst never overtakes itself.
 */
export function createDebouncer(
  settings: DebounceSettings,
  clock: Clock,
  push: (request: PushRequest) => void,
): Debouncer {
  const pending = createPendingPushes(settings);
  let cancel: (() => void) | undefined;

  const arm = (): void => {
    const dueMs = pending.dueMs();
    cancel = dueMs === undefined ? undefined : clock.schedule(Math.max(0, dueMs - clock.monotonicMs()), fire);
  };

  const fire = (): void => {
    cancel = undefined;
    const request = pending.take(clock.monotonicMs());
    arm();
    if (request !== undefined) push(request);
  };

  return {
    submit: (request) => {
      if (!settings.debounceEndpoints && !request.full) {
        push(request);
        return;
      }
      pending.add(request, clock.monotonicMs());
      // A running timer checks for later changes when it fires: no timer is rebuilt per change.
      if (cancel === undefined) arm();
    },
    stop: () => {
      cancel?.();
      cancel = undefined;
      pending.clear();
    },
  };
}
