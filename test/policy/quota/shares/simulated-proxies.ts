import type { QuotaLimit } from '../../../../src/config/policy-server/policy-server-config.js';
import { createMemoryStore } from '../../../../src/policy/quota/memory/memory-store.js';
import type { QuotaStore } from '../../../../src/policy/quota/quota-store.js';
import type { Assignment } from '../../../../src/policy/quota/shares/assignment.js';
import type { BucketAction } from '../../../../src/policy/quota/shares/bucket-action.js';
import type { ProxyShares } from '../../../../src/policy/quota/shares/proxy-shares.js';
import { createQuotaShares, type QuotaShares } from '../../../../src/policy/quota/shares/quota-shares.js';
import { bucketIdOf } from '../../../../src/policy/wire/quota-buckets.js';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.js';

export function limitOf(fields: Partial<QuotaLimit> = {}): QuotaLimit {
  return {
    ...{ name: 'requests', maxAmount: 6000, validDurationMs: 60_000, window: 'rolling', dimensions: [], overrides: [] },
    ...fields,
  };
}

export interface SharesRig {
  readonly clock: FakeClock;
  readonly shares: QuotaShares;
  /** Counted by the metrics. */
  readonly counts: { buckets: number; proxies: number; abandoned: string[]; unlimited: string[]; failed: number };
}

export function createSharesRig(
  limits: readonly QuotaLimit[],
  {
    servers = 1,
    ...options
  }: { readonly servers?: number; readonly store?: QuotaStore; readonly clock?: FakeClock } = {},
): SharesRig {
  const clock = options.clock ?? createFakeClock();
  const store = options.store ?? createMemoryStore({ clock, maxCounters: 1000 });
  const counts: SharesRig['counts'] = { buckets: 0, proxies: 0, abandoned: [], unlimited: [], failed: 0 };
  const shares = createQuotaShares({
    ...{ limits, store, clock, unsharedServers: () => servers },
    metrics: {
      counted: () => undefined,
      assigned: () => undefined,
      abandoned: (reason) => counts.abandoned.push(reason),
      buckets: (count) => {
        counts.buckets = count;
      },
      proxies: (count) => {
        counts.proxies = count;
      },
    },
    onUnlimited: (quota) => counts.unlimited.push(quota),
    onFailed: () => counts.failed++,
  });
  return { clock, shares, counts };
}

/** A proxy with one bucket, as docs/reference/rate-limit-quota.md describes it. */
export interface SimulatedProxy {
  /** Requests that have passed and that were refused. */
  readonly passed: number;
  readonly refused: number;
  readonly assignment: Assignment | undefined;
  /** A request comes. @returns whether it passes */
  request(): boolean;
  /** Five seconds have passed since the last report. */
  report(): Promise<void>;
  leave(): void;
}

export interface SimulatedProxyOptions {
  /** By quota. */
  readonly charges?: Readonly<Record<string, number>>;
  readonly dimensions?: Readonly<Record<string, string>>;
}

export function addProxy({ clock, shares }: SharesRig, options: SimulatedProxyOptions = {}): SimulatedProxy {
  const { charges = { requests: 1 }, dimensions = {} } = options;
  const id = {
    ...bucketIdOf({ type: 'quotas', service: 'web', charges: new Map(Object.entries(charges)) }),
    ...dimensions,
  };
  let proxy: ProxyShares | undefined;
  let assignment: Assignment | undefined;
  let tokens = 0;
  let filledMs = 0;
  const all = { passed: 0, refused: 0 };
  const since = { allowed: 0, denied: 0 };

  const refill = (): void => {
    if (assignment?.type !== 'tokens') return;
    const passedS = (clock.monotonicMs() - filledMs) / 1000;
    tokens = Math.min(assignment.maxTokens, tokens + assignment.tokensPerS * passedS);
    filledMs = clock.monotonicMs();
  };
  const take = (action: BucketAction): void => {
    refill();
    const before = assignment;
    assignment = action.type === 'assign' ? action.assignment : undefined;
    hasBucket = action.type === 'assign';
    if (assignment?.type !== 'tokens') return;
    const { maxTokens, isFull } = assignment;
    const kept = before?.type === 'tokens' ? Math.floor((maxTokens * tokens) / before.maxTokens) : maxTokens;
    tokens = isFull ? maxTokens : kept;
    filledMs = clock.monotonicMs();
  };
  let hasBucket = false;
  const report = async (): Promise<void> => {
    if (!hasBucket) return;
    proxy ??= shares.open(take);
    const { allowed, denied } = since;
    Object.assign(since, { allowed: 0, denied: 0 });
    await proxy.report({ id, allowed, denied });
  };
  const admits = (): boolean => {
    refill();
    if (assignment?.type !== 'tokens') return assignment?.type !== 'deny';
    if (tokens < 1) return false;
    tokens--;
    return true;
  };

  return {
    get passed() {
      return all.passed;
    },
    get refused() {
      return all.refused;
    },
    get assignment() {
      return assignment;
    },
    request: () => {
      const isFirst = !hasBucket;
      hasBucket = true;
      const passes = admits();
      all[passes ? 'passed' : 'refused']++;
      since[passes ? 'allowed' : 'denied']++;
      if (isFirst) void report();
      return passes;
    },
    report,
    leave: () => proxy?.close(),
  };
}

/** Lets promises run that are settled already. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/**
 * Runs proxies in steps of 100 ms, each of which reports every five seconds.
 *
 * @param perSecond requests of each proxy; a number, or a number by second
 * @returns the requests that pass, by second
 */
export async function run(
  { clock }: SharesRig,
  proxies: readonly SimulatedProxy[],
  perSecond: readonly (number | ((second: number) => number))[],
  seconds: number,
): Promise<readonly number[]> {
  const passed: number[] = [];
  const debts = proxies.map((_, index) => index / proxies.length);
  for (let step = 0; step < seconds * 10; step++) {
    const second = Math.floor(step / 10);
    const before = proxies.reduce((sum, proxy) => sum + proxy.passed, 0);
    for (const [index, proxy] of proxies.entries()) {
      const rate = perSecond[index] ?? 0;
      debts[index] = (debts[index] ?? 0) + (typeof rate === 'number' ? rate : rate(second)) / 10;
      for (; (debts[index] ?? 0) >= 1; debts[index] = (debts[index] ?? 0) - 1) {
        proxy.request();
        await settle();
      }
      // Proxies do not report at the same time.
      if (step % 50 === 49 - (index % 10) && proxy.assignment !== undefined) await proxy.report();
    }
    clock.advance(100);
    await settle();
    passed[second] = (passed[second] ?? 0) + proxies.reduce((sum, proxy) => sum + proxy.passed, 0) - before;
  }
  return passed;
}

/** The largest sum of so many numbers in a row. */
export function mostIn(numbers: readonly number[], count: number): number {
  let most = 0;
  for (let start = 0; start + count <= numbers.length; start++) {
    most = Math.max(
      most,
      numbers.slice(start, start + count).reduce((sum, each) => sum + each, 0),
    );
  }
  return most;
}
