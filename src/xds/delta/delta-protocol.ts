import { composeDeltaResponse } from '../../envoy/delta-response.js';
import { possibleResources } from '../../envoy/possible-resources.js';
import {
  EMPTY_RESOURCE_SET,
  hasResource,
  isEmptyDiff,
  isEmptySet,
  type ResourceDiff,
  type ResourceSet,
} from '../../envoy/resource-set.js';
import { shortTypeName, TypeUrl } from '../../envoy/type-urls.js';
import { type NameChanges, NO_NAMES } from '../../push/name-changes.js';
import { hasName, type NameSet, WILDCARD } from '../../push/name-set.js';
import type { Work } from '../../push/work.js';
import { hasPendingUsers } from '../cluster-users.js';
import type { DiscoveryProtocol, NextResponse, ProtocolConnection, ProtocolVariant } from '../discovery-protocol.js';
import type { AfterDoubt } from '../held-resources.js';
import { parseRequest } from '../parse-request.js';
import { readResourceNames } from '../request-wire.js';
import type { ResourceProvider } from '../resource-provider.js';
import type { PendingPush, WatchedResource } from '../watched-resource.js';
import { type RawDeltaRequest, readAnswer, readDeltaRequest } from './delta-request-wire.js';
import {
  type DeltaSubscription,
  isWildcard,
  nextSubscription,
  type RequestedNames,
  type SubscriptionChange,
} from './delta-subscription.js';
import {
  answerExcess,
  decoded,
  maxNamesOfRequest,
  type NamesInLimit,
  namesInLimit,
  readHeldNames,
} from './names-in-limit.js';
import { RefusedResources, withoutChanges } from './refused-resources.js';

/** Names that count as one more request. */
const NAMES_PER_REQUEST = 1_000;
const NOTHING_CHANGED: ResourceDiff = { changed: [], removed: [] };

/**
 * The delta variant of xDS: requests add and remove names, and responses have only what changed
 * (docs/reference/xds.md#delta). What the proxy has is one set, `WatchedResource.possible`, and a response is the
 * difference to the set that it should have. Both sets are shared by proxies of equal scope, and so is the response.
 */
class DeltaProtocol implements DiscoveryProtocol {
  readonly lastOfPush = [TypeUrl.cluster];
  readonly #connection: ProtocolConnection;
  readonly #subscribed = new Map<string, DeltaSubscription>();
  readonly #refused = new RefusedResources();
  /** Clusters have changed since the proxy was connected before, so it gets its secrets again. */
  #repeatsSecrets = false;

  constructor(connection: ProtocolConnection) {
    this.#connection = connection;
  }

  *receive(message: Buffer): Work<number> {
    const { names: maxNames } = this.#connection.environment.limits;
    const request = parseRequest('DeltaDiscoveryRequest', maxNames, () =>
      readDeltaRequest(message, (typeUrl) => maxNamesOfRequest(typeUrl, maxNames)),
    );
    const provider = this.#connection.open(request);
    if (provider === undefined) return 1;
    const changed = yield* this.#take(request, provider);
    return 1 + (request.names + changed) / NAMES_PER_REQUEST;
  }

  acknowledge(message: Buffer): boolean {
    const answer = readAnswer(message);
    const watched = answer && this.#connection.subscriptions.get(answer.typeUrl);
    if (watched === undefined || !watched.isUnanswered || answer?.nonce !== watched.sentNonce) return false;
    this.#connection.acknowledge(watched, watched.sentNonce, watched.sentVersion);
    this.#connection.proceed();
    return true;
  }

  *nextResponse(watched: WatchedResource, pending: PendingPush): Work<NextResponse | undefined> {
    const { provider, subscription: startedFor } = watched;
    const { typeUrl, version, configVersion, responses } = provider;
    const { delta: memory } = this.#connection.environment;
    const subscription = this.#subscriptionOf(typeUrl);
    const made = yield* provider.prepare(watched.namesWithWildcard);
    // The Responder drops the response and starts again.
    if (watched.subscription !== startedFor) return undefined;
    const wanted = provider.mode === 'named' ? memory.existing(made) : made;
    const { warming } = watched;
    if (pending === 'ifChanged' && warming === undefined && watched.isRejected(wanted)) return undefined;
    const { asked } = subscription;
    const before = watched.possible ?? EMPTY_RESOURCE_SET;
    const all = this.#changeOf(provider, provider.diffs.change(before, wanted, { asked, warming }));
    const change = this.#withoutRefused(watched, all, pending);
    if (change !== all && isEmptyDiff(change)) return undefined;
    const set = change === all ? wanted : withoutChanges(before, wanted, all, change);
    const mustAnswer = subscription.isFirst && isWildcard(subscription, provider) && !subscription.isResumed;
    if (isEmptyDiff(change) && !mustAnswer) {
      this.#keepUp(watched, set);
      return undefined;
    }
    const keepsOld = this.#mustKeepOld(watched, change);
    if (keepsOld) watched.wantRemovals();
    const sent = keepsOld ? keepOld(memory.withoutRemoved(change), change, before, asked) : change;
    if (isEmptyDiff(sent) && keepsOld) return undefined;
    const header = { group: sent, typeUrl, versionInfo: version, configVersion, compose: composeDeltaResponse };
    const known = responses.find(header, watched.sentNonce);
    const isFresh = subscription.isFirst && !subscription.isResumed;
    const next = {
      set: keepsOld ? memory.withOld(before, set) : set,
      configVersion,
      // All clusters are new to the proxy: it asks for their endpoints.
      changes: isFresh ? NOTHING_CHANGED : sent,
      onSent: () => {
        this.#refused.sent(typeUrl, sent);
        this.#sent(typeUrl, isFresh ? NOTHING_CHANGED : sent);
        if (typeUrl === TypeUrl.route) this.#tablesSent(sent);
      },
    };
    if (known !== undefined) return { ...next, response: known };
    const body = yield* memory.body(sent);
    return { ...next, response: responses.responseFor({ ...header, body: () => body }, watched.sentNonce) };
  }

  /** @returns names of the subscription if it changes: to add one name to a hundred thousand takes long */
  *#take(request: RawDeltaRequest, provider: ResourceProvider): Work<number> {
    const { subscriptions, isEnded, environment } = this.#connection;
    const { typeUrl, mode } = provider;
    const before = this.#subscribed.get(typeUrl);
    const { taken: subscribe, excess } = yield* this.#inLimit(provider, request, before);
    const unsubscribe = yield* this.#namesOf(request.unsubscribe);
    const claimed = before === undefined ? yield* this.#claimOf(request, provider, subscribe) : EMPTY_RESOURCE_SET;
    const held = (): NameSet => environment.delta.namesOf(claimed);
    const isResumed = !isEmptySet(claimed);
    const requested = { subscribe, unsubscribe, isResumed, held, mode };
    const change = yield* this.#changeBy(requested, excess, typeUrl);
    if (isEnded()) return 0;
    const watched = subscriptions.get(typeUrl);
    const { names, asked } = change.next;
    // A proxy that does not read can ask for ever more names that it drops again.
    const count = Math.max(names.names.length, (asked?.names.length ?? 0) - excess.names.length);
    subscriptions.checkNames(watched, count, environment.limits);
    if (watched !== undefined) this.#takeAnswer(watched, request);
    // A request for nothing, of a type without a wildcard: there is nothing to answer or to watch.
    else if (mode === 'named' && names === NO_NAMES) return 0;
    this.#change(watched ?? subscriptions.add(provider), change, claimed);
    return names === before?.names ? 0 : count;
  }

  *#inLimit(
    { typeUrl }: ResourceProvider,
    request: RawDeltaRequest,
    before: DeltaSubscription | undefined,
  ): Work<NamesInLimit> {
    const { limits, delta } = this.#connection.environment;
    const asked = yield* this.#namesOf(request.subscribe);
    const kept = yield* delta.names.remove(before?.names ?? NO_NAMES, yield* this.#namesOf(request.unsubscribe));
    const held =
      kept.names.length + asked.names.length > limits.names ? yield* readHeldNames(request.versions) : undefined;
    const isHeld = (name: string): boolean => held?.has(name) === true;
    const names = yield* namesInLimit({ typeUrl, maxNames: limits.names }, kept, asked, isHeld, delta.names);
    if (names.excess !== NO_NAMES) this.#connection.beyondNames(typeUrl, names.excess.names.length);
    return names;
  }

  /** A long request is read with pauses. A response that is sent meanwhile answers names, so the change is made again. */
  *#changeBy(requested: RequestedNames, excess: NameSet, typeUrl: string): Work<SubscriptionChange> {
    const { names } = this.#connection.environment.delta;
    for (;;) {
      const before = this.#subscribed.get(typeUrl);
      const change = yield* withExcess(yield* nextSubscription(before, requested, names), excess, names);
      if (this.#subscribed.get(typeUrl) === before) return change;
    }
  }

  /** The subscription changes of a request count whether or not it is an answer. */
  #takeAnswer(watched: WatchedResource, { responseNonce: nonce, errorDetail }: RawDeltaRequest): void {
    const { typeUrl } = watched.provider;
    if (errorDetail !== undefined) {
      if (this.#connection.reject(watched, { nonce, ...errorDetail })) this.#refused.rejected(typeUrl);
    } else if (nonce === '') return;
    else if (nonce !== watched.sentNonce) {
      this.#connection.environment.metrics.nonceExpired(shortTypeName(typeUrl));
    } else if (watched.isUnanswered) this.#connection.acknowledge(watched, nonce, watched.sentVersion);
  }

  #change(
    watched: WatchedResource,
    { next, isNew, hasFewer, hasAsked }: SubscriptionChange,
    claimed: ResourceSet,
  ): void {
    const { typeUrl } = watched.provider;
    const { delta: memory } = this.#connection.environment;
    this.#subscribed.set(typeUrl, next);
    if (isNew) {
      watched.correct(() => claimed);
      if (typeUrl === TypeUrl.secret && this.#repeatsSecrets) this.#askAgain(watched);
    }
    watched.subscribed = memory.encoded(next.names);
    watched.asked = next.asked && memory.encoded(next.asked);
    const isWild = isWildcard(next, watched.provider);
    if (watched.setNames(isWild ? undefined : watched.subscribed)) watched.want('ifChanged');
    // The proxy has dropped them.
    if (hasFewer && !isWild) watched.correct((set) => set && memory.within(set, next.names));
    // It has dropped the virtual hosts of tables, too.
    if (hasFewer && typeUrl === TypeUrl.route) this.#tablesSent(NOTHING_CHANGED);
    if (next.startsOver) watched.correct((set) => set && memory.inUnknownVersions(set));
    if (hasAsked || isNew || next.startsOver) {
      // A response that was begun without these names is dropped.
      watched.subscription++;
      watched.want('always');
    }
    this.#connection.proceed();
  }

  /** The proxy needs no response: it has all resources of the set. */
  #keepUp(watched: WatchedResource, set: ResourceSet): void {
    const { typeUrl, version, configVersion } = watched.provider;
    const subscription = this.#subscriptionOf(typeUrl);
    if (subscription.isFirst && subscription.isResumed) watched.held(set, version, configVersion);
    else watched.unchanged(set, configVersion);
    watched.asked = undefined;
    this.#answered(typeUrl, subscription);
  }

  /** The proxy has what it asked for. */
  #answered(typeUrl: string, subscription: DeltaSubscription): void {
    const { asked, isFirst, startsOver } = subscription;
    if (asked === undefined && !isFirst && !startsOver) return;
    this.#subscribed.set(typeUrl, { ...subscription, asked: undefined, isFirst: false, startsOver: false });
  }

  #sent(typeUrl: string, { changed }: ResourceDiff): void {
    const { subscriptions } = this.#connection;
    const subscription = this.#subscriptionOf(typeUrl);
    const watched = subscriptions.get(typeUrl);
    if (watched !== undefined) watched.asked = undefined;
    this.#answered(typeUrl, subscription);
    if (typeUrl !== TypeUrl.cluster || !subscription.isFirst || changed.length === 0) return;
    // A changed cluster may wait for secrets that Envoy does not ask for again.
    const secrets = subscriptions.get(TypeUrl.secret);
    if (secrets === undefined) this.#repeatsSecrets = true;
    else this.#askAgain(secrets);
  }

  /**
   * The proxy has other route tables. A table that it asked for again, or that has changed, has none of its virtual hosts.
   */
  #tablesSent(tables: ResourceDiff): void {
    const { subscriptions, environment } = this.#connection;
    const hosts = subscriptions.get(TypeUrl.virtualHost);
    if (hosts === undefined) return;
    if (tables.changed.length > 0) hosts.correct((set) => set && environment.delta.withoutTables(set, tables));
    hosts.want('ifChanged');
  }

  #askAgain(watched: WatchedResource): void {
    const { typeUrl } = watched.provider;
    const subscription = this.#subscriptionOf(typeUrl);
    this.#repeatsSecrets = false;
    this.#subscribed.set(typeUrl, { ...subscription, asked: subscription.names });
    watched.subscription++;
    watched.want('always');
  }

  /**
   * Of clusters Envoy takes the valid ones of a rejected response; of virtual hosts none. A change of other virtual hosts
   * repeats those of the rejected response: perhaps one of them alone was invalid.
   */
  #withoutRefused(watched: WatchedResource, change: ResourceDiff, pending: PendingPush): ResourceDiff {
    const { typeUrl } = watched.provider;
    const { asked, startsOver } = this.#subscriptionOf(typeUrl);
    if (typeUrl !== TypeUrl.virtualHost || startsOver) return change;
    const other = this.#refused.without(typeUrl, change, asked);
    return pending === 'always' || isEmptyDiff(other) ? other : change;
  }

  /** Some proxies lose more than they should by a removal, or take it for an error. */
  #changeOf({ typeUrl, answersUnknownNames }: ResourceProvider, change: ResourceDiff): ResourceDiff {
    const { delta: memory } = this.#connection.environment;
    if (typeUrl === TypeUrl.virtualHost) return answerExcess(change, this.#subscriptionOf(typeUrl));
    return typeUrl === TypeUrl.extensionConfig || !answersUnknownNames ? memory.withoutRemoved(change) : change;
  }

  /** Clusters leave the proxy after the listeners and routes that used them. */
  #mustKeepOld({ provider }: WatchedResource, change: ResourceDiff): boolean {
    if (provider.typeUrl !== TypeUrl.cluster || change.removed.length === 0) return false;
    return hasPendingUsers(this.#connection.subscriptions);
  }

  *#namesOf(encoded: Uint8Array): Work<NameSet> {
    if (encoded.length === 0) return NO_NAMES;
    const { nameSets } = this.#connection.environment;
    const { set } = yield* nameSets.intern(encoded, () => readResourceNames(encoded));
    return set;
  }

  /** The resources that a proxy says it has, of those that it subscribes to. */
  *#claimOf({ versions }: RawDeltaRequest, provider: ResourceProvider, subscribe: NameSet): Work<ResourceSet> {
    if (versions.length === 0) return EMPTY_RESOURCE_SET;
    const { delta: memory } = this.#connection.environment;
    const isAll = provider.mode === 'wildcard' && (subscribe === NO_NAMES || hasName(subscribe, WILDCARD));
    const made = yield* provider.prepare(subscribe === NO_NAMES ? undefined : subscribe);
    const expected = provider.mode === 'named' ? memory.existing(made) : made;
    const isAsked = (name: string): boolean => isAll || hasName(subscribe, name);
    return yield* decoded(memory.claims.read({ encoded: versions, expected, isAsked }));
  }

  #subscriptionOf(typeUrl: string): DeltaSubscription {
    const subscription = this.#subscribed.get(typeUrl);
    if (subscription === undefined) throw new Error(`no delta subscription to ${typeUrl}`);
    return subscription;
  }
}

/** Names beyond the limit are answered once. */
function* withExcess(change: SubscriptionChange, excess: NameSet, changes: NameChanges): Work<SubscriptionChange> {
  if (excess === NO_NAMES) return change;
  const asked = yield* changes.add(change.next.asked ?? NO_NAMES, excess);
  return { ...change, hasAsked: true, next: { ...change.next, asked } };
}

/** The change without the removals of resources that the proxy has. A name that it asked for and lacks is still answered. */
function keepOld(
  kept: ResourceDiff,
  { changed, removed }: ResourceDiff,
  before: ResourceSet,
  asked: NameSet | undefined,
): ResourceDiff {
  if (asked === undefined) return kept;
  const unknown = removed.filter((name) => hasName(asked, name) && !hasResource(before, name));
  return unknown.length === 0 ? kept : { changed, removed: unknown };
}

/** A proxy may have applied a rejected or unanswered response in part: Envoy keeps the valid clusters and listeners. */
const afterDoubt: AfterDoubt = (before = EMPTY_RESOURCE_SET, sent = EMPTY_RESOURCE_SET) =>
  possibleResources(before, sent);

export const DELTA: ProtocolVariant = {
  create: (connection) => new DeltaProtocol(connection),
  isDelta: true,
  afterDoubt,
};
