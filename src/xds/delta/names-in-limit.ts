import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { ResourceDiff } from '../../envoy/resource-set.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { NameChanges } from '../../push/name-changes.js';
import { NO_NAMES } from '../../push/name-changes.js';
import { hasName, type NameSet, WILDCARD } from '../../push/name-set.js';
import type { Work } from '../../push/work.js';
import { StreamError } from '../stream-error.js';
import { entryEnd, readVersionEntry } from './delta-request-wire.js';

/**
 * A sidecar on demand asks for each host and each cluster that its workload calls, and never takes a name back. Its
 * stream must not end because the workload called many: the sidecar would name all of them again when it reconnects.
 * These are the types that it learns.
 */
const LEARNT: readonly string[] = [TypeUrl.cluster, TypeUrl.virtualHost];
/** One request may name this many times the names that a subscription can have. A larger one ends the stream. */
const PART_OF_REQUEST = 4;

/** Names that are read before the work pauses. */
const NAMES_AT_ONCE = 2_048;

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
}

/**
 * Keeps earlier names, and answers further ones as unknown. Replacing earlier names would cut off the workload from hosts
 * that it uses, because Envoy 1.40 does not ask again for a host or a cluster that it has lost.
 *
 * @param before the names of the subscription
 * @param subscribe the names that the request adds
 * @param isHeld whether a reconnecting proxy has a resource of the name: these come first
 */
export function* namesInLimit(
  { typeUrl, maxNames }: { readonly typeUrl: string; readonly maxNames: number },
  before: NameSet,
  subscribe: NameSet,
  isHeld: (name: string) => boolean,
  changes: NameChanges,
): Work<NamesInLimit> {
  const all: NamesInLimit = { taken: subscribe, excess: NO_NAMES };
  if (!LEARNT.includes(typeUrl) || before.names.length + subscribe.names.length <= maxNames) return all;
  const { names: fresh } = yield* changes.remove(subscribe, before);
  const room = maxNames - before.names.length;
  if (fresh.length <= room) return all;
  const isFirst = (name: string): boolean => name === WILDCARD || isHeld(name);
  const ordered = [...fresh.filter(isFirst), ...fresh.filter((name) => !isFirst(name))];
  const excess = yield* changes.of(ordered.slice(Math.max(0, room)));
  return { taken: yield* changes.remove(subscribe, excess), excess };
}

/**
 * Answers the names of virtual hosts beyond the limit by resources without content. Envoy holds the requests that wait for
 * a virtual host until a resource has its name as an alias; a removal leaves them waiting.
 *
 * @param asked the names to answer
 * @param names those of the subscription
 */
export function answerExcess(
  change: ResourceDiff,
  { asked, names }: { readonly asked: NameSet | undefined; readonly names: NameSet },
): ResourceDiff {
  if (asked === undefined) return change;
  const excess = change.removed.filter((name) => hasName(asked, name) && !hasName(names, name));
  if (excess.length === 0) return change;
  const answered = new Set(excess);
  return {
    changed: [...change.changed, ...excess.map(withoutContent)],
    removed: change.removed.filter((name) => !answered.has(name)),
  };
}

function withoutContent(name: string): EncodedResource {
  return { name, version: '', entry: Buffer.alloc(0), aliases: [name] };
}

/**
 * Reads the names of RawDeltaRequest.versions.
 *
 * @throws StreamError INVALID_ARGUMENT
 */
export function* readHeldNames(versions: Uint8Array): Work<ReadonlySet<string>> {
  return yield* decoded(namesOfVersions(versions));
}

function* namesOfVersions(versions: Uint8Array): Work<ReadonlySet<string>> {
  const names = new Set<string>();
  let read = 0;
  for (let start = 0, end = 0; start < versions.length; start = end) {
    end = entryEnd(versions, start);
    names.add(readVersionEntry(versions, start, end).name);
    if (++read % NAMES_AT_ONCE === 0) yield;
  }
  return names;
}

/** Any error of the work means that a peer sent other bytes. @throws StreamError INVALID_ARGUMENT */
export function* decoded<Result>(work: Work<Result>): Work<Result> {
  try {
    return yield* work;
  } catch (cause) {
    throw new StreamError('INVALID_ARGUMENT', 'initial_resource_versions cannot be decoded', { cause });
  }
}
