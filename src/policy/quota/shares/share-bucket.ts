import type { BucketName } from '../../wire/quota-buckets.js';
import type { Assignment } from './assignment.js';
import type { RateShare } from './rate-share.js';
import type { WindowShare } from './window-share.js';

/** The time between two reports of a proxy, in seconds. An assignment is for that long. */
export const REPORT_INTERVAL_S = 5;

/** A bucket of one proxy. Its tokens are requests, each of which charges all of its quotas. */
export interface ShareBucket {
  /** As the proxy writes it: an answer must repeat it. */
  readonly id: Readonly<Record<string, string>>;
  readonly name: BucketName;
  readonly charges: readonly ShareCharge[];
  /** Sends an assignment between two reports. */
  readonly push: (assignment: Assignment) => void;
  /** Requests a second, refused ones too; undefined until the second report. */
  requestsPerS: number | undefined;
  /** How many requests it may admit from its last report on. Those that it has admitted since then are part of them. */
  tokens: number;
  /** For each window, the bucket of the window in which the tokens were reserved. */
  readonly reservedIn: Map<WindowShare, number>;
  /** The tokens that it had when the assignment was made. */
  assignedTokens: number;
  /** When the assignment was made, on the monotonic clock. */
  assignedMs: number;
  /** When tokens were reserved last, as what is given back must be of the same window. */
  reservedMs: number;
  reportedMs: number;
  /** Reports in a row without a request. */
  idleReports: number;
  assignment: Assignment | undefined;
  /** Settles when the assignment that is being made is made; undefined when none is: two must not overlap. */
  busy: Promise<void> | undefined;
}

/** Does work on buckets, none of which is busy. */
export function occupy<Result>(buckets: readonly ShareBucket[], work: () => Promise<Result>): Promise<Result> {
  const working = work();
  const free = (): void => {
    for (const bucket of buckets) bucket.busy = undefined;
  };
  const busy = working.then(free, free);
  for (const bucket of buckets) bucket.busy = busy;
  return working;
}

/** What a request of the bucket charges of one limit. */
export type ShareCharge = {
  readonly quota: string;
  readonly amount: number;
} & ({ readonly type: 'window'; readonly share: WindowShare } | { readonly type: 'rate'; readonly share: RateShare });

export type WindowCharge = Extract<ShareCharge, { readonly type: 'window' }>;

export function windowCharges({ charges }: ShareBucket): readonly WindowCharge[] {
  return charges.filter((charge): charge is WindowCharge => charge.type === 'window');
}

/** The requests that the bucket will hardly exceed until its next report, at least one; infinite while unknown. */
export function neededTokens({ requestsPerS }: ShareBucket): number {
  if (requestsPerS === undefined) return Number.POSITIVE_INFINITY;
  const expected = requestsPerS * REPORT_INTERVAL_S;
  // Demand grows, and random arrivals vary by the root of their number.
  return 1 + expected * 1.1 + 2 * Math.sqrt(expected);
}

/** The bucket has so many tokens from now on. */
export function holdTokens(bucket: ShareBucket, tokens: number, nowMs: number): void {
  bucket.tokens = tokens;
  bucket.assignedTokens = tokens;
  bucket.assignedMs = nowMs;
}

/** The tokens that are probably not used yet. */
export function unusedTokens(bucket: ShareBucket, nowMs: number): number {
  const { assignedTokens, requestsPerS, assignedMs, assignment } = bucket;
  const passedS = (nowMs - assignedMs) / 1000;
  const rate = requestsPerS ?? assignedTokens / REPORT_INTERVAL_S;
  const most = assignment?.type === 'tokens' ? assignment.maxTokens + assignment.tokensPerS * passedS : 0;
  return Math.max(0, assignedTokens - Math.min(rate * passedS, most));
}
