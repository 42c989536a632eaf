import type { Clock } from '../telemetry/clock.js';

/** What one turn of a proxy put on the wire. */
export interface TurnResult {
  /** Bytes handed to the transport. */
  readonly bytes: number;
  /** Settles when they have left this process, or the stream has ended; undefined when nothing was sent. */
  readonly flushed: Promise<void> | undefined;
}

/** A connected proxy, as the queue sees it. */
export interface PushTarget {
  /** Sends what is due and not already on its way. Called once per turn. */
  takeTurn(): TurnResult;
}

export interface PushQueueSettings {
  /** NAV_PUSH_THROTTLE: proxies that are being sent to at the same time. */
  readonly throttle: number;
  /** Unsent bytes of all those proxies together, above which no further turn starts. */
  readonly byteBudget: number;
  /** After this long without being flushed a proxy no longer counts: a stalled one must not delay the others. */
  readonly stallMs: number;
}

/**
 * First come, first served; a proxy is in the queue at most once, so that later events merge into its one
 * turn (BEHAVIOUR 5, "Push queue"). The throttle counts a proxy until its bytes are flushed, not until they
 * are queued, which is what bounds memory (DESIGN section 5).
 */
export interface PushQueue {
  enqueue(target: PushTarget): void;
  remove(target: PushTarget): void;
  readonly waiting: number;
  stop(): void;
}

/** How long one run of turns may keep the event loop. */
const SLICE_MS = 8;

/**
 * A turn of fewer bytes than a socket takes at once counts as flushed: waiting for the transport to say so would
 * put the acknowledgements of the first proxies before the pushes to the last.
 */
const SMALL_TURN_BYTES = 16 << 10;

export function createPushQueue(settings: PushQueueSettings, clock: Clock): PushQueue {
  const queue = new Set<PushTarget>();
  let active = 0;
  let activeBytes = 0;
  let scheduled = false;
  let stopped = false;

  const schedule = (): void => {
    if (scheduled || stopped) return;
    scheduled = true;
    setImmediate(run);
  };

  const hasRoom = (): boolean => active < settings.throttle && (activeBytes < settings.byteBudget || active === 0);

  const run = (): void => {
    scheduled = false;
    const until = clock.monotonicMs() + SLICE_MS;
    for (const target of queue) {
      if (stopped || !hasRoom()) return;
      queue.delete(target);
      start(target);
      if (clock.monotonicMs() >= until) break;
    }
    if (queue.size > 0 && hasRoom()) schedule();
  };

  const start = (target: PushTarget): void => {
    const { bytes, flushed } = target.takeTurn();
    if (flushed === undefined || bytes < SMALL_TURN_BYTES) return;
    active++;
    activeBytes += bytes;
    let settled = false;
    const settle = (): void => {
      if (settled) return;
      settled = true;
      cancelStall();
      active--;
      activeBytes -= bytes;
      if (queue.size > 0) schedule();
    };
    const cancelStall = clock.schedule(settings.stallMs, settle);
    flushed.then(settle, settle);
  };

  return {
    enqueue: (target) => {
      queue.add(target);
      schedule();
    },
    remove: (target) => {
      queue.delete(target);
    },
    get waiting() {
      return queue.size;
    },
    stop: () => {
      stopped = true;
      queue.clear();
    },
  };
}
