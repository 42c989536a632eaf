import type { Clock } from '../base/clock.js';
import { createKeySetFetcher, type KeySetFetcher } from '../jwks/key-set-fetcher.js';
import type { PushContext } from '../model/push-context.js';
import type { MeshStore } from '../model/store/mesh-store.js';
import { createEgressRules } from '../net/egress/egress-rules.js';
import { createGuardedFetch } from '../net/egress/guarded-fetch.js';
import type { Logging } from '../telemetry/logging.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { OutgoingCalls } from '../telemetry/outgoing-calls.js';
import type { Options } from './options.js';
import type { SubmitChange } from './submit-change.js';

export interface KeySetParts {
  readonly options: Options;
  readonly store: MeshStore;
  readonly metrics: Metrics;
  readonly outgoing: OutgoingCalls;
  readonly submit: SubmitChange;
  /** Sources of keys have other problems than before. */
  readonly onProblems: () => void;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** The keys of the JWT issuers that snapshots name, fetched for the next snapshot. */
export interface RunningKeySets extends Pick<KeySetFetcher, 'problems' | 'stop'> {
  observe(context: Pick<PushContext, 'requestAuthentications'>): void;
  /**
   * Tries all sources of the stores once. Without their keys, proxies would reject the tokens that they have accepted
   * so far. Settles after some seconds at the latest: a server that does not answer delays no start.
   */
  fetchFirst(): Promise<void>;
}

const FIRST_FETCH_MS = 5_000;
const MAX_DOCUMENT_BYTES = 256 * 1024;

export function createKeySets(parts: KeySetParts): RunningKeySets {
  const { options, store, metrics, outgoing, submit, onProblems, logging, clock } = parts;
  const { environment } = options;
  const rules = createEgressRules(environment.navEgressAllowed.map(({ cidr }) => cidr));
  const fetchDocument = createGuardedFetch({ rules, allowsHttp: true, maxBytes: MAX_DOCUMENT_BYTES });
  const fetcher = createKeySetFetcher({
    fetchDocument: (url) => outgoing.run('jwks', url, () => fetchDocument(url)),
    limits: {
      maxSources: environment.navJwksMaxSources,
      maxPerNamespace: environment.navJwksMaxNamespaceSources,
    },
    refreshMs: environment.navJwksRefreshIntervalMs,
    maxAgeMs: environment.navJwksMaxAgeMs,
    clock,
    random: Math.random,
    metrics,
    logger: logging.scope('authn'),
    onKeys: (keySets, changed) => submit(store.setKeySets(keySets, changed)),
    onProblems,
  });
  return {
    observe: ({ requestAuthentications }) => fetcher.follow(requestAuthentications.keySources),
    fetchFirst: async () => {
      const { keySources } = store.state().requestAuthentications;
      if (keySources.size === 0) return;
      fetcher.follow(keySources);
      await fetcher.triedAll(FIRST_FETCH_MS);
    },
    problems: fetcher.problems,
    stop: fetcher.stop,
  };
}
