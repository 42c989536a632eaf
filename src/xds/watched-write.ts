import type { Clock } from '../base/clock.js';

/** What to do about a message that a proxy does not read. */
export interface SlowWriteHandlers {
  /** After 5 seconds (BEHAVIOUR 1, nav_xds_write_timeout). */
  onSlow(): void;
  /** After a minute: the stream is not worth keeping. */
  onStuck(): void;
}

const SLOW_MS = 5_000;
export const STUCK_MS = 60_000;

/** Watches over a write until it settles, either way. */
export async function watchWrite(write: Promise<void>, clock: Clock, handlers: SlowWriteHandlers): Promise<void> {
  const cancelSlow = clock.schedule(SLOW_MS, handlers.onSlow);
  const cancelStuck = clock.schedule(STUCK_MS, handlers.onStuck);
  try {
    await write;
  } finally {
    cancelSlow();
    cancelStuck();
  }
}
