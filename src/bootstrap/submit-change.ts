import type { Clock } from '../base/clock.js';
import type { StoreChange } from '../model/store/change-log.js';
import type { Distributor } from '../push/distributor.js';
import type { Metrics } from '../telemetry/metrics.js';

/** Counts a change of the stores, and pushes it. */
export type SubmitChange = (change: StoreChange) => void;

export function createSubmit(
  metrics: Pick<Metrics, 'increment'>,
  distributor: Pick<Distributor, 'submit'>,
  clock: Clock,
): SubmitChange {
  return ({ push, updates }) => {
    for (const [type, count] of Object.entries(updates)) {
      if (count > 0) metrics.increment('nav_inbound_updates', { type }, count);
    }
    if (push !== undefined) distributor.submit({ ...push, startMs: clock.monotonicMs() });
  };
}
