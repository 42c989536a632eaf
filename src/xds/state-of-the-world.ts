import { concatEntries, haveEqualResources, isEmptySet, type ResourceSet } from '../envoy/resource-set.js';
import { shortTypeName, TypeUrl } from '../envoy/type-urls.js';
import type { EncodedNames, NameSet } from '../push/name-set.js';
import type { Work } from '../push/work.js';
import { hasPendingUsers, withoutGaps } from './cluster-users.js';
import type { DiscoveryProtocol, NextResponse, ProtocolConnection, ProtocolVariant } from './discovery-protocol.js';
import { parseRequest } from './parse-request.js';
import { isWildcard, type RawDiscoveryRequest, readDiscoveryRequest, readResourceNames } from './request-wire.js';
import type { ResourceProvider } from './resource-provider.js';
import type { PendingPush, WatchedResource } from './watched-resource.js';

/** New names that count as one more request. */
const NAMES_PER_REQUEST = 1_000;

/**
 * The state-of-the-world variant of xDS: each request names everything that the proxy subscribes to, and each response
 * of a wildcard type has all of its resources.
 */
class StateOfTheWorld implements DiscoveryProtocol {
  readonly lastOfPush = [TypeUrl.cluster];
  readonly #connection: ProtocolConnection;

  constructor(connection: ProtocolConnection) {
    this.#connection = connection;
  }

  *receive(message: Buffer): Work<number> {
    const { environment, subscriptions } = this.#connection;
    const { names: maxNames } = environment.limits;
    const request = parseRequest('DiscoveryRequest', maxNames, () =>
      readDiscoveryRequest(message, { knownNames: subscriptions.knownNames(), maxNames }),
    );
    const provider = this.#connection.open(request);
    if (provider === undefined) return 1;
    yield* this.#take(request, provider);
    return 1 + request.newNames / NAMES_PER_REQUEST;
  }

  *nextResponse(watched: WatchedResource, pending: PendingPush): Work<NextResponse | undefined> {
    const { typeUrl, version, configVersion, responses } = watched.provider;
    const made = yield* watched.provider.prepare(watched.names);
    const set = pending === 'always' ? made : this.#withoutGaps(watched, made);
    const selected = select(watched, set, pending);
    if (selected === undefined) {
      if (set === made) watched.unchanged(set, configVersion);
      return undefined;
    }
    if (pending === 'ifChanged' && watched.warming === undefined && watched.isRejected(set)) return undefined;
    const header = { group: selected.group, typeUrl, versionInfo: version, configVersion };
    const known = responses.find(header, watched.sentNonce);
    if (known !== undefined) return { response: known, set, configVersion };
    const body = yield* selected.prepareBody();
    return { response: responses.responseFor({ ...header, body: () => body }, watched.sentNonce), set, configVersion };
  }

  /** Keeps what the proxy still uses until its listeners and routes are replaced. */
  #withoutGaps(watched: WatchedResource, set: ResourceSet): ResourceSet {
    const { subscriptions, environment } = this.#connection;
    const kept = withoutGaps(watched, set, environment.delta, () => hasPendingUsers(subscriptions));
    // Another response follows without the old clusters.
    if (kept.hasOldClusters) watched.wantRemovals();
    return kept.set;
  }

  *#take(request: RawDiscoveryRequest, provider: ResourceProvider): Work<void> {
    const { subscriptions, environment, isEnded } = this.#connection;
    const { encodedNames, responseNonce: nonce, errorDetail } = request;
    const watched = subscriptions.get(provider.typeUrl);
    const isAll = provider.mode === 'wildcard' && isWildcard(encodedNames);
    const names = isAll ? undefined : yield* this.#internNames(encodedNames, watched);
    if (isEnded()) return;
    if (errorDetail !== undefined && watched !== undefined) {
      if (this.#connection.reject(watched, { nonce, ...errorDetail })) this.#proceed(watched, names);
    } else if (watched === undefined || nonce === '') {
      this.#subscribe(watched ?? subscriptions.add(provider), names);
    } else if (nonce !== watched.sentNonce) {
      // The proxy answers the newest response later, with the names that it then wants.
      environment.metrics.nonceExpired(shortTypeName(provider.typeUrl));
    } else {
      // A proxy repeats the nonce of a response that it has answered, also rejected, when it changes its names.
      if (watched.isUnanswered) this.#connection.acknowledge(watched, nonce, request.versionInfo);
      this.#proceed(watched, names);
    }
  }

  /** @throws LimitError if the stream would then have too many names */
  *#internNames(encoded: Uint8Array, watched: WatchedResource | undefined): Work<EncodedNames> {
    const { environment, subscriptions } = this.#connection;
    const { nameSets, limits } = environment;
    const names = yield* nameSets.intern(encoded, () => readResourceNames(encoded), watched?.encodedNames);
    subscriptions.checkNames(watched, names.set.names.length, limits);
    return names;
  }

  #subscribe(watched: WatchedResource, names: EncodedNames | undefined): void {
    watched.setNames(names);
    watched.resubscribe();
    this.#connection.proceed();
  }

  #proceed(watched: WatchedResource, names: EncodedNames | undefined): void {
    const before = watched.names;
    if (watched.setNames(names)) watched.want(mustAnswer(watched, before) ? 'always' : 'ifChanged');
    this.#connection.proceed();
  }
}

export const STATE_OF_THE_WORLD: ProtocolVariant = { create: (connection) => new StateOfTheWorld(connection) };

/** A client of a whole type waits for the response to each new name, also to a name without a resource. */
function mustAnswer({ provider, names }: WatchedResource, before: NameSet | undefined): boolean {
  if (provider.isWhole !== true || names === undefined) return false;
  const known = new Set(before?.names);
  return names.names.some((name) => !known.has(name));
}

interface Selected {
  /** Stands for the resources: streams with the same object share its bytes. */
  readonly group: object;
  /** Joins the bytes; called only if no stream has the response yet. */
  prepareBody(): Work<readonly Uint8Array[]>;
}

/** Undefined if the proxy has, or is being sent, these resources already. */
function select(watched: WatchedResource, set: ResourceSet, pending: PendingPush): Selected | undefined {
  const { mode, isWhole, diffs, answersUnknownNames } = watched.provider;
  if (pending === 'always') {
    return !answersUnknownNames && isEmptySet(set) ? undefined : everythingOf(set);
  }
  // A proxy deletes what a response of a wildcard type leaves out.
  if (mode === 'wildcard') return haveEqualResources(set, watched.sent) ? undefined : everythingOf(set);
  if (isWhole === true) return isNews(watched, set) ? everythingOf(set) : undefined;
  // The proxy may have applied the response that it did not answer, or may have rejected it.
  if (watched.isOverdue && !haveEqualResources(set, watched.sent)) return everythingOf(set);
  const selection = diffs.select(watched.sent, set, watched.warming);
  if (selection.resources.length === 0) return undefined;
  return {
    group: selection,
    *prepareBody() {
      return [yield* concatEntries(selection.resources)];
    },
  };
}

/** A client does not wait for the removal of a resource that it no longer asks for. */
function isNews({ sent, names, isOverdue, provider }: WatchedResource, set: ResourceSet): boolean {
  if (sent === undefined || isOverdue) return !haveEqualResources(set, sent);
  if (haveEqualResources(set, sent)) return false;
  const { changed, removed } = provider.diffs.diff(sent, set);
  const wanted = new Set(names?.names);
  return changed.length > 0 || removed.some((name) => wanted.has(name));
}

function everythingOf(set: ResourceSet): Selected {
  return { group: set, prepareBody: () => set.prepareBody() };
}
