import type { Clock } from '../base/clock.js';
import type { ResourceSet } from '../envoy/resource-set.js';
import type { PastRejection } from '../introspection/past-rejection.js';
import { CONFIG_VERSION_LENGTH, type DistributionLedger } from '../push/distribution-ledger.js';
import type { Distribution } from '../push/distributor.js';
import { createRejectionReader } from '../status/distribution/rejection-book.js';
import type { SessionEnvironment } from '../xds/session-environment.js';
import { changeOf } from './change-of.js';

/**
 * Remembers the newest rejections with the objects that caused them, for pages. The causes are found at once,
 * because the history of objects forgets states, and a rejection ends when the proxy accepts a later response.
 */
export interface RejectionLog {
  /** The same report of rejections, which are remembered too. */
  observing(rejected: SessionEnvironment['rejected']): SessionEnvironment['rejected'];
  /** Newest first. */
  list(): readonly PastRejection[];
}

export interface RejectionLogParts {
  readonly clock: Clock;
  readonly ledger: DistributionLedger | undefined;
  readonly distribution: () => Pick<Distribution, 'context' | 'generators'>;
}

const MAX_REJECTIONS = 200;
/** Rejections with their resources, which take memory. */
const MAX_WITH_RESOURCES = 20;

interface Entry extends PastRejection {
  /** Shared with the proxies that have the same resources. */
  readonly sets: { readonly accepted?: ResourceSet; readonly offered?: ResourceSet };
}

export function createRejectionLog({ clock, ledger, distribution }: RejectionLogParts): RejectionLog {
  const entries: Entry[] = [];
  const causesOf = createRejectionReader({
    history: ledger ?? { changedBetween: () => undefined },
    affects: (key, typeUrl, proxyType) => {
      const { generators, context } = distribution();
      return context !== undefined && (generators.get(typeUrl)?.affectedBy(changeOf(key), proxyType, context) ?? false);
    },
    configVersionOfNonce: (nonce) => nonce.slice(0, CONFIG_VERSION_LENGTH),
  });
  return {
    observing: (rejected) => (proxy, watched, rejection) => {
      const { accepted, sent: offered } = watched;
      const isNew = rejected(proxy, watched, rejection);
      const { rejection: reported, typeUrl, ackedConfigVersion } = watched.snapshot();
      const { context } = distribution();
      if (!isNew || reported === undefined || context === undefined) return isNew;
      // A proxy of another type than its id says cannot connect.
      const proxyType = proxy.node.startsWith('router~') ? 'router' : 'sidecar';
      const causes = causesOf({ typeUrl, proxyType, ackedConfigVersion, rejection: reported }, context);
      const sets = { ...(accepted && { accepted }), ...(offered && { offered }) };
      entries.unshift({ at: clock.now(), connection: proxy.connection, typeUrl, ...reported, causes, sets });
      if (entries.length > MAX_REJECTIONS) entries.pop();
      const stripped = entries[MAX_WITH_RESOURCES];
      if (stripped !== undefined) entries[MAX_WITH_RESOURCES] = { ...stripped, sets: {} };
      return isNew;
    },
    list: () =>
      entries.map(({ sets: { accepted, offered }, ...entry }) => ({
        ...entry,
        ...(accepted && { accepted: accepted.resources }),
        ...(offered && { offered: offered.resources }),
      })),
  };
}
