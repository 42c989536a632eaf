import type { Clock } from '../base/clock.js';
import type { MinuteOfPushes, PushActivity, PushRecord } from '../model/push-activity.js';
import type { PushReason, PushRequest } from '../model/push-request.js';
import type { PushMetrics } from './push-metrics.js';
import { TimeHistogram } from './time-histogram.js';

/** A push that the distributor has begun. Times are those of the monotonic clock. */
export interface BegunPush {
  readonly request: PushRequest;
  /** Empty if no snapshot could be built. */
  readonly version: string;
  readonly proxies: number;
  readonly begunMs: number;
  readonly builtMs: number;
}

/** Remembers recent pushes for pages. It keeps counts and a few names, no object and no proxy. */
export interface PushActivityLog extends PushActivity {
  begun(push: BegunPush): void;
  /** The same metrics, whose convergence times are remembered too. */
  observing(metrics: PushMetrics): PushMetrics;
}

/** Remembered pushes. */
const MAX_PUSHES = 200;
/** Objects and hosts that a push names. */
const MAX_NAMES = 12;
const BIN_MS = 10_000;
const BINS_PER_MINUTE = 6;
/** Fifteen minutes, and the minute before them. */
const MAX_BINS = 96;
/** A proxy reports the time since the first change of its push. Two pushes do not begin with the same change. */
const SAME_START_MS = 1;

interface Bin {
  readonly index: number;
  pushes: number;
  readonly times: TimeHistogram;
}

type Remembered = { -readonly [Key in keyof PushRecord]: PushRecord[Key] } & { readonly startMs: number };

export function createPushActivityLog(clock: Clock): PushActivityLog {
  const records: Remembered[] = [];
  const bins: Bin[] = [];
  let count = 0;

  const binNow = (): Bin => {
    const index = Math.floor(clock.monotonicMs() / BIN_MS);
    const last = bins.at(-1);
    if (last?.index === index) return last;
    const bin = { index, pushes: 0, times: new TimeHistogram() };
    bins.push(bin);
    while (bins.length > MAX_BINS || (bins[0] !== undefined && bins[0].index <= index - MAX_BINS)) bins.shift();
    return bin;
  };

  const converged = (ms: number): void => {
    binNow().times.add(ms);
    const startMs = clock.monotonicMs() - ms;
    const record = records.findLast((each) => Math.abs(each.startMs - startMs) < SAME_START_MS);
    if (record === undefined) return;
    record.sent++;
    record.lastSentMs = Math.max(record.lastSentMs, ms);
  };

  return {
    begun: ({ request, version, proxies, begunMs, builtMs }) => {
      binNow().pushes++;
      const { changed, endpoints, startMs } = request;
      records.push({
        number: ++count,
        at: clock.now(),
        version,
        full: request.full,
        reasons: countReasons(request.reasons),
        objects: changed === 'everything' ? changed : changed.size,
        firstObjects: changed === 'everything' ? [] : firstOf(changed),
        hosts: endpoints.size,
        firstHosts: firstOf(endpoints),
        proxies,
        stages: {
          mergeMs: Math.max(0, begunMs - startMs),
          buildMs: builtMs - begunMs,
          selectMs: clock.monotonicMs() - builtMs,
        },
        sent: 0,
        lastSentMs: 0,
        startMs,
      });
      if (records.length > MAX_PUSHES) records.shift();
    },
    observing: (metrics) => ({
      ...metrics,
      converged: (seconds) => {
        metrics.converged(seconds);
        converged(seconds * 1000);
      },
    }),
    pushes: () => records.map(({ startMs: _, ...record }) => record).reverse(),
    minutes: () => minutesOf(bins, binNow().index, clock.now()),
  };
}

function minutesOf(bins: readonly Bin[], last: number, now: Date): readonly MinuteOfPushes[] {
  const byIndex = new Map(bins.map((bin) => [bin.index, bin]));
  return Array.from({ length: MAX_BINS - BINS_PER_MINUTE }, (_, position) => {
    const end = last - (MAX_BINS - BINS_PER_MINUTE - 1) + position;
    const times = new TimeHistogram();
    let pushes = 0;
    for (let index = end - BINS_PER_MINUTE + 1; index <= end; index++) {
      const bin = byIndex.get(index);
      if (bin === undefined) continue;
      pushes += bin.pushes;
      times.merge(bin.times);
    }
    const at = new Date(now.getTime() - (last - end) * BIN_MS);
    return { at, pushes, p50Ms: times.quantile(0.5), p99Ms: times.quantile(0.99) };
  });
}

function countReasons(reasons: readonly PushReason[]): ReadonlyMap<PushReason, number> {
  const counts = new Map<PushReason, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

function firstOf(names: ReadonlySet<string>): readonly string[] {
  const first: string[] = [];
  for (const name of names) {
    if (first.length === MAX_NAMES) break;
    first.push(name);
  }
  return first;
}
