import { TypeUrl } from '../../envoy/type-urls.js';
import type { NameChanges } from '../../push/name-changes.js';
import { NO_NAMES } from '../../push/name-changes.js';
import { type NameSet, WILDCARD } from '../../push/name-set.js';
import type { Work } from '../../push/work.js';

/**
 * A sidecar on demand asks for each host and each cluster that its workload calls, and never takes a name back. Its
 * stream must not end because the workload called many: the sidecar would name all of them again when it reconnects.
 * These are the types that it learns.
 */
const LEARNT: readonly string[] = [TypeUrl.cluster, TypeUrl.virtualHost];
/** One request may name this many times the names that a subscription can have. A larger one ends the stream. */
const PART_OF_REQUEST = 4;

/** @param maxNames of a subscription */
export function maxNamesOfRequest(typeUrl: string, maxNames: number): number {
  return LEARNT.includes(typeUrl) ? maxNames * PART_OF_REQUEST : maxNames;
}

/** The names of a request, so that the subscription keeps the limit. */
export interface NamesInLimit {
  /** Names that the subscription takes. */
  readonly taken: NameSet;
  /** Names that are answered as unknown, and not remembered. */
  readonly excess: NameSet;
  /** Names that leave the subscription, and the proxy. */
  readonly leaving: NameSet;
}

/**
 * Virtual hosts of earlier requests make place for new ones: Envoy asks again for a host that it lacks. Envoy asks for a
 * cluster once, so clusters stay, and further ones do not exist for this proxy.
 *
 * @param before the names of the subscription
 * @param subscribe the names that the request adds
 */
export function* namesInLimit(
  typeUrl: string,
  before: NameSet,
  subscribe: NameSet,
  maxNames: number,
  changes: NameChanges,
): Work<NamesInLimit> {
  const all: NamesInLimit = { taken: subscribe, excess: NO_NAMES, leaving: NO_NAMES };
  if (!LEARNT.includes(typeUrl) || before.names.length + subscribe.names.length <= maxNames) return all;
  const fresh = yield* changes.remove(subscribe, before);
  if (before.names.length + fresh.names.length <= maxNames) return all;
  if (typeUrl === TypeUrl.virtualHost) {
    const excess = yield* lastOf(subscribe, maxNames - 1, changes);
    const taken = yield* changes.remove(subscribe, excess);
    const old = yield* changes.remove(before, taken);
    return { taken, excess, leaving: yield* changes.remove(old, ONLY_WILDCARD) };
  }
  const excess = yield* lastOf(fresh, maxNames - before.names.length, changes);
  return { taken: yield* changes.remove(subscribe, excess), excess, leaving: NO_NAMES };
}

const ONLY_WILDCARD: NameSet = { id: WILDCARD, names: [WILDCARD], characters: 1 };

/** All names after the first `count`. `*` sorts before the names of hosts and clusters, so it is one of the first. */
function* lastOf({ names }: NameSet, count: number, changes: NameChanges): Work<NameSet> {
  return names.length <= count ? NO_NAMES : yield* changes.of(names.slice(count));
}
