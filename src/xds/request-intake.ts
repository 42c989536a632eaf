import type { Clock } from '../base/clock.js';
import { LimitError, type XdsLimits } from './limits/xds-limits.js';

/** A call whose requests stay bytes. */
interface RequestSource {
  on(event: 'data', listener: (message: Buffer) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

export interface RequestIntakeParts {
  readonly call: RequestSource;
  readonly limits: Pick<XdsLimits, 'firstRequestMs' | 'requestsPerSecond'>;
  readonly clock: Clock;
  /** @returns how many requests it counts as; a promise if the next request has to wait for this one */
  receive(message: Buffer): number | Promise<number>;
  /** An invalid request, or a missing first request, ends the stream. */
  fail(error: unknown): void;
  /** The requests of the stream exceed the rate for the first time. Called once. */
  onTooFast(): void;
}

/**
 * Reads one stream's requests one after another, at no more than the stream's rate. Further requests wait at the peer,
 * because the transport reads no more.
 *
 * @returns a function that stops reading
 */
export function readRequests({ call, limits, clock, receive, fail, onTooFast }: RequestIntakeParts): () => void {
  const pace = createRequestPace(limits.requestsPerSecond, clock);
  let isOver = false;
  let wasTooFast = false;
  let cancelWait = clock.schedule(limits.firstRequestMs, () => {
    const what = `no request came within ${limits.firstRequestMs / 1000} s`;
    fail(new LimitError('firstRequestMs', what, 'DEADLINE_EXCEEDED'));
  });
  keepOneMessage(call);

  const waitFor = (waitMs: number): Promise<void> =>
    new Promise((resolve) => {
      cancelWait = clock.schedule(waitMs, resolve);
    });

  const waitAfter = (cost: number): number => {
    const waitMs = pace.take(cost);
    if (waitMs > 0 && !wasTooFast) {
      wasTooFast = true;
      onTooFast();
    }
    return waitMs;
  };

  const holdBack = async (wait: () => number | Promise<number>): Promise<void> => {
    call.pause();
    try {
      const waitMs = await wait();
      if (waitMs > 0 && !isOver) await waitFor(waitMs);
    } catch (error) {
      if (!isOver) fail(error);
      return;
    }
    if (!isOver) call.resume();
  };

  call.on('data', (message: Buffer) => {
    if (isOver) return;
    cancelWait();
    try {
      const received = receive(message);
      if (typeof received !== 'number') {
        void holdBack(() => received.then(waitAfter));
        return;
      }
      const waitMs = waitAfter(received);
      if (waitMs > 0) void holdBack(() => waitMs);
    } catch (error) {
      fail(error);
    }
  });
  return () => {
    isOver = true;
    cancelWait();
    // Further requests are dropped, so that the end of the stream does not wait for them.
    call.resume();
  };
}

/**
 * A stream of objects keeps sixteen of them while it is paused, which are sixteen messages of any size. The field is
 * not part of Node's interface; where it is missing, the message budget of the listener bounds them.
 */
function keepOneMessage(call: object): void {
  const state: unknown = Reflect.get(call, '_readableState');
  if (typeof state === 'object' && state !== null && 'highWaterMark' in state) state.highWaterMark = 1;
}

/** Limits how fast one stream's requests are read. A stream that sends faster waits; it does not end. */
export interface RequestPace {
  /**
   * One more request was read.
   *
   * @param cost 1, and more for a request that takes long to serve
   * @returns how long the next one has to wait, in milliseconds
   */
  take(cost: number): number;
}

/** A stream may send the requests of this many seconds at once. */
const BURST_SECONDS = 10;

export function createRequestPace(perSecond: number, clock: Clock): RequestPace {
  const burst = perSecond * BURST_SECONDS;
  let tokens = burst;
  let atMs = clock.monotonicMs();
  return {
    take: (cost) => {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - atMs) / 1000) * perSecond) - cost;
      atMs = nowMs;
      return tokens >= 0 ? 0 : Math.ceil((-tokens / perSecond) * 1000);
    },
  };
}
