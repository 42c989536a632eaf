import type { Clock } from '../base/clock.js';
import type { PendingWrites } from './pending-writes.js';
import { createPushSlots, type PushLane, type PushShare } from './push-slots.js';
import { WaitingTargets } from './waiting-targets.js';
import type { WorkRunner } from './work-runner.js';

/** The responses of one push of a proxy. */
export interface PushResult {
  /** Bytes that the transport got. */
  readonly bytes: number;
  /** The writes of the responses; undefined if nothing was sent. */
  readonly writes: Pick<PendingWrites, 'whenDone'> | undefined;
}

/** A connected proxy, as the queue sees it. */
export interface PushTarget {
  /** The same for as long as the proxy is in the queue. */
  readonly share: PushShare;
  /** Sends the pending responses. Called once per turn. */
  push(): PushResult;
}

export interface PushQueueSettings {
  /** NAV_PUSH_THROTTLE: number of proxies of one lane that are pushed to at the same time. */
  readonly throttle: number;
  /** Unsent bytes of all those proxies together, above which no further turn starts. */
  readonly byteBudget: number;
  /** A proxy that has not flushed its bytes for this time no longer counts, so that it does not delay the others. */
  readonly stallMs: number;
}

/**
 * Decides which proxy is pushed to next (docs/reference/xds.md#push-queue). A proxy is in the queue at most once, so
 * later events join its one turn. The throttle counts a proxy until its bytes have left this process. This limits the
 * memory of unsent responses.
 *
 * Authenticated and plaintext proxies have separate throttles, and each peer has a share. A peer whose streams do not
 * read uses up only its own share.
 */
export interface PushQueue {
  enqueue(target: PushTarget): void;
  remove(target: PushTarget): void;
  readonly waiting: number;
  stop(): void;
}

/**
 * How long one run of turns may block the event loop. Between two runs the server reads the acknowledgements of the first:
 * with shorter runs the last proxy of five hundred gets a small change 14 ms later.
 */
const SLICE_MS = 20;
/** The same while computations wait: they have a slice of their own in each turn of the event loop. */
const SHARED_SLICE_MS = 8;

/**
 * A turn of fewer bytes than a socket accepts at once counts as flushed. Otherwise the acknowledgements of the first
 * proxies would be handled before the pushes to the last ones.
 */
const SMALL_TURN_BYTES = 16 << 10;

/** How long an unread write reduces the share of its peer (`nav_xds_write_timeout`). */
const UNREAD_MS = 5_000;
/** A peer with unread writes gets this part of the time to read the next one. */
const SLOW_STALL_PART = 1 / 10;

const LANES: readonly PushLane[] = ['authenticated', 'plaintext'];

/** @param computations share each turn of the event loop with the queue */
export function createPushQueue(
  settings: PushQueueSettings,
  clock: Clock,
  computations?: Pick<WorkRunner, 'waiting'>,
): PushQueue {
  const { throttle, byteBudget, stallMs } = settings;
  const createLane = () => ({
    waiting: new WaitingTargets<PushTarget>(),
    slots: createPushSlots(throttle, byteBudget),
  });
  const lanes = { authenticated: createLane(), plaintext: createLane() };
  let scheduled = false;
  let stopped = false;

  const schedule = (): void => {
    if (scheduled || stopped) return;
    scheduled = true;
    setImmediate(run);
  };

  /** Runs turns of the two lanes alternately, until neither has room or the slice is over. */
  const run = (): void => {
    scheduled = false;
    const isShared = (computations?.waiting ?? 0) > 0;
    const until = clock.monotonicMs() + (isShared ? SHARED_SLICE_MS : SLICE_MS);
    let started = true;
    while (started && !stopped) {
      started = false;
      for (const lane of LANES) started = startNext(lane) || started;
      if (started && clock.monotonicMs() >= until) {
        schedule();
        return;
      }
    }
  };

  const startNext = (lane: PushLane): boolean => {
    const { waiting, slots } = lanes[lane];
    const target = waiting.take(slots.hasRoom, slots.hasRoomForSource);
    if (target === undefined) return false;
    start(target);
    return true;
  };

  const start = (target: PushTarget): void => {
    const { share } = target;
    const { slots, waiting } = lanes[share.lane];
    const { bytes, writes } = target.push();
    if (writes === undefined || bytes < SMALL_TURN_BYTES) return;
    const allowedMs = slots.isSlow(share) ? stallMs * SLOW_STALL_PART : stallMs;
    slots.take(share, bytes);
    let state: 'writing' | 'unread' | 'over' = 'writing';
    let cancel = (): void => undefined;
    const release = (): void => {
      slots.release(share, bytes);
      if (waiting.size > 0) schedule();
    };
    const forget = (): void => {
      if (state !== 'unread') return;
      state = 'over';
      slots.removeUnread(share);
      if (waiting.size > 0) schedule();
    };
    const stall = (): void => {
      state = 'unread';
      slots.addUnread(share);
      release();
      cancel = clock.schedule(UNREAD_MS, forget);
    };
    const settle = (): void => {
      cancel();
      if (state === 'unread') forget();
      else if (state === 'writing') {
        state = 'over';
        release();
      }
    };
    cancel = clock.schedule(allowedMs, stall);
    writes.whenDone(settle);
  };

  return {
    enqueue: (target) => {
      lanes[target.share.lane].waiting.add(target);
      schedule();
    },
    remove: (target) => {
      lanes[target.share.lane].waiting.remove(target);
    },
    get waiting() {
      return LANES.reduce((sum, lane) => sum + lanes[lane].waiting.size, 0);
    },
    stop: () => {
      stopped = true;
      for (const lane of LANES) lanes[lane].waiting.clear();
    },
  };
}
