import type { Clock } from '../../base/clock.js';
import { settledWithin } from '../../base/settled-within.js';

/** An unresponsive API server must not delay the end of the process; the Lease then expires by itself. */
const STOP_TIMEOUT_MS = 3_000;

/** Waits until a writer of statuses has stopped, at most 3 s. */
export function stopInTime(stopping: Promise<void>, clock: Clock): Promise<void> {
  return settledWithin(stopping, STOP_TIMEOUT_MS, clock);
}
