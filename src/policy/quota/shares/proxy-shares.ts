import type { Clock } from '../../../base/clock.js';
import { type BucketName, readBucketId } from '../../wire/quota-buckets.js';
import { renewed } from './assignment.js';
import { type BucketAction, type BucketId, bucketKeyOf } from './bucket-action.js';
import { type ReportedUse, returnTokens, settleBucket } from './settle-bucket.js';
import { occupy, REPORT_INTERVAL_S, type ShareBucket, windowCharges } from './share-bucket.js';
import type { ShareTable } from './share-table.js';
import type { AbandonReason, SharesMetrics } from './shares-metrics.js';

/** What a proxy reports of one bucket. */
export interface BucketReport extends ReportedUse {
  readonly id: BucketId;
}

/** The buckets of one proxy. */
export interface ProxyShares {
  readonly size: number;
  /** Takes a report, and sends the answer, if there is one. */
  report(report: BucketReport): Promise<void>;
  /** Forgets the bucket that was not used for the longest time. */
  abandonOldest(): void;
  /** Gives back what the proxy has probably not used. */
  close(): void;
}

export interface ProxySharesOptions {
  readonly table: () => ShareTable;
  readonly clock: Clock;
  readonly metrics: SharesMetrics;
  /** Whether the store answers: as long as it does, so does the policy server. */
  readonly isUp: () => boolean;
  /** The proxy has one bucket more, or one less. */
  readonly onChange: (name: BucketName, difference: 1 | -1) => void;
  readonly onUnlimited: (quota: string) => void;
  /** Gets failures of the store. */
  readonly onFailed: (error: unknown) => void;
  /** Sends actions, in order. */
  readonly push: (action: BucketAction) => void;
}

const SECOND_TRY_MS = 100;
const NO_USE: ReportedUse = { allowed: 0, denied: 0 };

/** A minute: buckets by key without requests are forgotten, so that invented keys do not fill proxies. */
const MAX_IDLE_REPORTS = 12;

export function createProxyShares(options: ProxySharesOptions): ProxyShares {
  const { table, clock, metrics, isUp, onChange, onUnlimited, onFailed, push } = options;
  /** Those that were used longest ago come first. */
  const buckets = new Map<string, { readonly bucket: ShareBucket; readonly of: ShareTable }>();

  const add = (id: BucketId, name: BucketName): ShareBucket => {
    const of = table();
    const nowMs = clock.monotonicMs();
    const { charges, unlimited } = of.chargesOf(name);
    unlimited.forEach(onUnlimited);
    const bucket: ShareBucket = {
      ...{ id, name, charges, requestsPerS: undefined, tokens: 0, assignedTokens: 0 },
      ...{ assignedMs: nowMs, reservedMs: nowMs, reportedMs: nowMs },
      ...{ reservedIn: new Map(), idleReports: 0, assignment: undefined, busy: undefined },
      push: (assignment) => {
        bucket.assignment = assignment;
        metrics.assigned();
        push({ type: 'assign', id, assignment });
      },
    };
    of.add(bucket);
    buckets.set(bucketKeyOf(id), { bucket, of });
    onChange(name, 1);
    return bucket;
  };

  const remove = (key: string): void => {
    const entry = buckets.get(key);
    if (entry === undefined) return;
    const { bucket, of } = entry;
    buckets.delete(key);
    of.remove(bucket);
    onChange(bucket.name, -1);
    returnTokens(bucket, clock.monotonicMs()).catch(onFailed);
  };

  const abandon = (bucket: ShareBucket, reason: AbandonReason): void => {
    metrics.abandoned(reason);
    remove(bucketKeyOf(bucket.id));
    push({ type: 'abandon', id: bucket.id });
  };

  const settle = async (bucket: ShareBucket, use: ReportedUse): Promise<void> => {
    while (bucket.busy !== undefined) await bucket.busy;
    const isFirst = bucket.assignment === undefined;
    try {
      bucket.push(await occupy([bucket], () => settleBucket(bucket, use, clock.monotonicMs())));
      if (isFirst && bucket.assignment?.type === 'deny') clock.schedule(SECOND_TRY_MS, () => tryAgain(bucket));
    } catch (error) {
      onFailed(error);
    }
  };

  /** Another new bucket may have got all that was left, and its tokens were not known yet. */
  const tryAgain = (bucket: ShareBucket): void => {
    if (bucket.busy === undefined && buckets.get(bucketKeyOf(bucket.id))?.bucket === bucket)
      void settle(bucket, NO_USE);
  };

  const report = async ({ id, ...use }: BucketReport): Promise<void> => {
    const name = readBucketId(id);
    if (name === undefined) return;
    if (name.purpose.type === 'guard') {
      if (isUp()) push({ type: 'assign', id, assignment: { type: 'allow' } });
      return;
    }
    const bucket = bucketOf(id, name);
    count(bucket, use);
    noteUse(bucket, use, clock.monotonicMs());
    if (bucket.idleReports === 0) moveToEnd(buckets, bucketKeyOf(id));
    if (bucket.idleReports > MAX_IDLE_REPORTS && name.dimensions.size > 0) abandon(bucket, 'idle');
    else if (bucket.assignment !== undefined && bucket.idleReports > 1 && lasts(bucket)) {
      push({ type: 'assign', id, assignment: renewed(bucket.assignment) });
    } else await settle(bucket, use);
  };

  /** A bucket of older limits is replaced. */
  const bucketOf = (id: BucketId, name: BucketName): ShareBucket => {
    const key = bucketKeyOf(id);
    const entry = buckets.get(key);
    if (entry?.of === table()) return entry.bucket;
    if (entry !== undefined) remove(key);
    return add(id, name);
  };

  const count = ({ name }: ShareBucket, { allowed, denied }: ReportedUse): void => {
    if (name.purpose.type !== 'quotas') return;
    for (const quota of name.purpose.charges.keys()) metrics.counted(quota, allowed, denied);
  };

  return {
    get size() {
      return buckets.size;
    },
    report,
    abandonOldest: () => {
      const [oldest] = buckets.values();
      if (oldest !== undefined) abandon(oldest.bucket, 'limit');
    },
    close: () => {
      for (const key of [...buckets.keys()]) remove(key);
    },
  };
}

function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

/** Half of what is known and half of what is new, and at once all of what is more. */
function noteUse(bucket: ShareBucket, { allowed, denied }: ReportedUse, nowMs: number): void {
  const requests = allowed + denied;
  const passedS = (nowMs - bucket.reportedMs) / 1000;
  bucket.idleReports = requests === 0 ? bucket.idleReports + 1 : 0;
  // The first report comes with the first request, and says nothing about the time between two.
  if (bucket.assignment === undefined || passedS < MIN_MEASURED_S) return;
  const rate = requests / passedS;
  bucket.requestsPerS = Math.max(rate, (rate + (bucket.requestsPerS ?? rate)) / 2);
  bucket.reportedMs = nowMs;
}

const MIN_MEASURED_S = 1;

/** Whether the tokens of an idle bucket can stay as they are: nothing else needs them, and they count for a while. */
function lasts(bucket: ShareBucket): boolean {
  const soonMs = bucket.reservedMs - 2 * REPORT_INTERVAL_S * 1000;
  return windowCharges(bucket).every(({ share }) => bucket.tokens > 0 && share.hasLeft() && !share.isOver(soonMs));
}
