import { type Backoff, createBackoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import { createConcurrencyLimiter } from '../base/concurrency-limiter.js';
import { errorText } from '../base/error-text.js';
import type { KeySource } from '../config/security/key-source.js';
import type { KeySet, KeySets, KeySourceProblem } from '../model/security/key-sets.js';
import type { KeySourceUse } from '../model/security/request-authentications.js';
import type { FetchDocument } from '../net/egress/guarded-fetch.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createSubjectLog } from '../telemetry/subject-log.js';
import { admitSources, type KeySourceLimits, type RefusedSource } from './admit-sources.js';
import { fetchKeySet } from './fetch-key-set.js';

export interface KeySetFetcherOptions {
  readonly fetchDocument: FetchDocument;
  readonly limits: KeySourceLimits;
  /** Time between two fetches of a source, ±10 % so that sources spread. */
  readonly refreshMs: number;
  /** How long the last fetched keys count while fetches fail. */
  readonly maxAgeMs: number;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly metrics: Pick<Metrics, 'increment' | 'set'>;
  /** Scope `authn`. */
  readonly logger: Logger;
  /** Called when keys have changed. @param changed ids of their sources */
  onKeys(keySets: KeySets, changed: ReadonlySet<string>): void;
  /** Called when the problems have changed. */
  onProblems(): void;
}

/** Keeps the keys of all sources current until `stop`. One fetch serves all users of a source. */
export interface KeySetFetcher {
  /** Fetches these sources from now on, and no others. */
  follow(uses: ReadonlyMap<string, KeySourceUse>): void;
  /** Settles when each followed source was fetched or has failed once, at the latest after the time. */
  triedAll(maxMs: number): Promise<void>;
  /** By id of the source. */
  problems(): ReadonlyMap<string, KeySourceProblem>;
  stop(): void;
}

/** Fetches at the same time, of all namespaces and of one: a slow server delays its own namespace only. */
const MAX_CONCURRENT = 16;
const MAX_CONCURRENT_PER_NAMESPACE = 4;
/** Longest first wait after a failure; it doubles up to the longest of all. */
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 5 * 60_000;
const MAX_WAIT_MS = 10 * 60_000;

interface FollowedSource {
  readonly source: KeySource;
  /** Namespace whose turn the fetch takes. */
  readonly namespace: string;
  readonly backoff: Backoff;
  keySet: KeySet | undefined;
  fetchedAtMs: number;
  /** Why the last fetch failed. */
  failure: string | undefined;
  wasTried: boolean;
  cancel: () => void;
}

export function createKeySetFetcher(options: KeySetFetcherOptions): KeySetFetcher {
  const { fetchDocument, limits, refreshMs, maxAgeMs, clock, random, metrics, logger } = options;
  const log = createSubjectLog(logger, clock);
  const limiter = createConcurrencyLimiter(
    {
      maxConcurrent: MAX_CONCURRENT,
      maxConcurrentPerKey: MAX_CONCURRENT_PER_NAMESPACE,
      maxWaiting: limits.maxSources,
      maxWaitMs: MAX_WAIT_MS,
    },
    clock,
  );
  const followed = new Map<string, FollowedSource>();
  const waiting = new Set<() => void>();
  let uses: ReadonlyMap<string, KeySourceUse> = new Map();
  let refused: ReadonlyMap<string, RefusedSource> = new Map();
  let isStopped = false;

  const isFollowed = (followedSource: FollowedSource): boolean =>
    !isStopped && followed.get(followedSource.source.id) === followedSource;

  const keySets = (): KeySets => {
    const sets = new Map<string, KeySet>();
    for (const [id, { keySet }] of followed) if (keySet !== undefined) sets.set(id, keySet);
    return sets;
  };
  const recordStates = (): void => {
    const counts = { fresh: 0, stale: 0, failed: 0, pending: 0, refused: refused.size };
    for (const { keySet, failure } of followed.values()) {
      if (failure === undefined) counts[keySet === undefined ? 'pending' : 'fresh']++;
      else counts[keySet === undefined ? 'failed' : 'stale']++;
    }
    for (const [state, count] of Object.entries(counts)) metrics.set('nav_jwks_sources', { state }, count);
  };
  const wakeWhenTried = (): void => {
    if (![...followed.values()].every(({ wasTried }) => wasTried)) return;
    for (const wake of [...waiting]) wake();
  };

  const fetched = (each: FollowedSource, keySet: KeySet): void => {
    const { source } = each;
    const { keySet: before, failure } = each;
    metrics.increment('nav_jwks_resolver_network_fetch_success_total');
    each.backoff.reset();
    each.fetchedAtMs = clock.monotonicMs();
    each.failure = undefined;
    if (before?.version !== keySet.version) {
      each.keySet = keySet;
      logger.info(
        { url: source.url },
        before === undefined ? 'keys of a JWT issuer fetched' : 'keys of a JWT issuer changed',
      );
      options.onKeys(keySets(), new Set([source.id]));
    }
    if (failure !== undefined) options.onProblems();
  };
  const failed = (each: FollowedSource, err: unknown): void => {
    const { source, failure } = each;
    metrics.increment('nav_jwks_resolver_network_fetch_fail_total');
    each.failure = errorText(err);
    const isExpired = each.keySet !== undefined && clock.monotonicMs() - each.fetchedAtMs >= maxAgeMs;
    if (isExpired) each.keySet = undefined;
    const tokens = each.keySet === undefined ? 'rejected' : 'verified with the last keys';
    log.warn(source.id, { url: source.url, tokens, err }, 'keys of a JWT issuer cannot be fetched');
    if (isExpired) options.onKeys(keySets(), new Set([source.id]));
    if (isExpired || failure !== each.failure) options.onProblems();
  };
  const schedule = (each: FollowedSource): void => {
    const refresh = refreshMs * (0.9 + random() * 0.2);
    const waitMs = each.failure === undefined ? refresh : Math.min(each.backoff.nextMs(), refresh);
    each.cancel = clock.schedule(waitMs, () => void run(each));
  };
  const run = async (each: FollowedSource): Promise<void> => {
    try {
      const keySet = await limiter.run(each.namespace, () => fetchKeySet(each.source, fetchDocument));
      if (isFollowed(each)) fetched(each, keySet);
    } catch (err) {
      if (isFollowed(each)) failed(each, err);
    }
    if (!isFollowed(each)) return;
    each.wasTried = true;
    schedule(each);
    recordStates();
    wakeWhenTried();
  };

  const begin = ({ source, objects }: KeySourceUse): void => {
    const each: FollowedSource = {
      source,
      namespace: objects[0]?.namespace ?? '',
      backoff: createBackoff({ initialMs: FIRST_RETRY_MS, maxMs: LAST_RETRY_MS, random }),
      keySet: undefined,
      fetchedAtMs: 0,
      failure: undefined,
      wasTried: false,
      cancel: () => undefined,
    };
    followed.set(source.id, each);
    void run(each);
  };

  return {
    follow: (next) => {
      if (isStopped || next === uses) return;
      uses = next;
      const { admitted, refused: refusedNow } = admitSources(next, limits);
      const ids = new Set(admitted.map(({ source }) => source.id));
      const left = [...followed].filter(([id]) => !ids.has(id));
      for (const [id, { cancel }] of left) {
        cancel();
        followed.delete(id);
      }
      // A source that comes back later must not find keys of today.
      if (left.length > 0) options.onKeys(keySets(), new Set(left.map(([id]) => id)));
      for (const use of admitted) if (!followed.has(use.source.id)) begin(use);
      const isRefusingMore = refusedNow.size > 0 || refused.size > 0;
      refused = refusedNow;
      for (const [id, setting] of refused) {
        log.warn(id, { url: next.get(id)?.source.url, namespaces: namespacesOf(next.get(id)), setting }, TOO_MANY);
      }
      recordStates();
      wakeWhenTried();
      if (isRefusingMore) options.onProblems();
    },
    triedAll: (maxMs) =>
      new Promise((resolve) => {
        const end = (): void => {
          waiting.delete(end);
          cancel();
          resolve();
        };
        const cancel = clock.schedule(maxMs, end);
        waiting.add(end);
        wakeWhenTried();
      }),
    problems: () => {
      const problems = new Map<string, KeySourceProblem>();
      for (const [id, { failure, keySet }] of followed) {
        if (failure !== undefined) problems.set(id, { reason: failure, hasKeys: keySet !== undefined });
      }
      for (const [id, refusedBy] of refused) {
        problems.set(id, { reason: `${TOO_MANY}: ${refusedBy}`, hasKeys: false, refusedBy });
      }
      return problems;
    },
    stop: () => {
      isStopped = true;
      for (const { cancel } of followed.values()) cancel();
      for (const wake of [...waiting]) wake();
    },
  };
}

const TOO_MANY = 'keys of a JWT issuer are not fetched, because there are too many issuers';

function namespacesOf(use: KeySourceUse | undefined): readonly string[] {
  return [...new Set(use?.objects.map(({ namespace }) => namespace))];
}
