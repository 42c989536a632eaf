import type { ResourceSet } from '../../envoy/resource-set.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Work } from '../../push/work.js';
import { withoutGaps } from '../cluster-users.js';
import type { DiscoveryProtocol, NextResponse, ProtocolConnection, ProtocolVariant } from '../discovery-protocol.js';
import { parseRequest } from '../parse-request.js';
import { isWildcard, type RawDiscoveryRequest, readDiscoveryRequest, readResourceNames } from '../request-wire.js';
import type { ResourceProvider } from '../resource-provider.js';
import { StreamError } from '../stream-error.js';
import type { PendingPush, WatchedResource } from '../watched-resource.js';
import { composeRestResponse, type RestDocuments } from './rest-documents.js';
import type { RestNode, RestSubscription } from './rest-node.js';
import type { RestStream } from './rest-stream.js';

/** A gRPC status code for a rejection without a reason. */
const UNKNOWN = 2;
const NO_REASON = 'the proxy requested again what it had before this response; its log has the reason';

/**
 * The REST variant of xDS: each poll names the version that the proxy has. The version is the hash of the resources, so
 * a poll is answered only if the resources differ, also after a restart, and by another replica. Envoy does not report
 * a rejection: it polls with the version before. The first such poll gets the response again, which may have been lost.
 */
class RestProtocol implements DiscoveryProtocol, RestSubscription {
  readonly #connection: ProtocolConnection;
  readonly #stream: RestVariantParts['stream'];
  readonly #documents: RestDocuments;
  readonly #node: RestNode;
  readonly typeUrl: string;
  #watched: WatchedResource | undefined;
  /** Version that the newest poll named. */
  #polled = '';
  /** Version of the newest response, or of the resources that the proxy connected with. */
  #newest: string | undefined;
  /** The newest response was sent a second time, and has not been accepted since. */
  #isRepeated = false;
  #isMaking = false;

  constructor(connection: ProtocolConnection, { stream, documents, node, typeUrl }: RestVariantParts) {
    this.typeUrl = typeUrl;
    this.#connection = connection;
    this.#stream = stream;
    this.#documents = documents;
    this.#node = node;
  }

  get isChanging(): boolean {
    const watched = this.#watched;
    if (watched === undefined) return false;
    return this.#isMaking || watched.pending !== 'no' || watched.outstanding.isAwaited;
  }

  get isNew(): boolean {
    const watched = this.#watched;
    return watched !== undefined && watched.accepted === undefined && watched.rejected === undefined;
  }

  get isAddingResources(): boolean {
    const watched = this.#watched;
    if (watched === undefined) return false;
    return this.#isMaking || watched.pending !== 'no' || watched.outstanding.isAddingResources;
  }

  proceed(): void {
    this.#connection.proceed();
  }

  changed(): void {
    this.#watched?.want('ifChanged');
    this.#connection.proceed();
  }

  waits({ pending }: WatchedResource): boolean {
    return pending === 'ifChanged' && this.#node.mustWait(this);
  }

  *receive(message: Buffer): Work<number> {
    const { names: maxNames } = this.#connection.environment.limits;
    const request = parseRequest('DiscoveryRequest', maxNames, () => readDiscoveryRequest(message, { maxNames }));
    const provider = this.#connection.open(request);
    if (provider === undefined) {
      throw new StreamError('UNIMPLEMENTED', `the server does not serve ${request.typeUrl} to this caller`);
    }
    const { subscriptions } = this.#connection;
    const known = subscriptions.get(provider.typeUrl);
    const watched = known ?? subscriptions.add(provider);
    this.#watched = watched;
    if (known === undefined) yield* this.#subscribe(watched, provider, request);
    else this.#continue(watched, request);
    this.#polled = request.versionInfo;
    this.#node.answered(this);
    this.#connection.proceed();
    if (watched.pending === 'no') this.#stream.idle();
    return 1;
  }

  *nextResponse(watched: WatchedResource, pending: PendingPush): Work<NextResponse | undefined> {
    if (!this.#stream.isPolled) return this.#wait(watched, pending);
    this.#isMaking = true;
    const next = yield* this.#make(watched, pending);
    if (next !== undefined) return next;
    this.#isMaking = false;
    this.#node.answered(this);
    return undefined;
  }

  *#make(watched: WatchedResource, pending: PendingPush): Work<NextResponse | undefined> {
    const { typeUrl, configVersion, responses } = watched.provider;
    const made = yield* watched.provider.prepare(watched.names);
    const set = pending === 'always' ? made : this.#withoutGaps(watched, made);
    const version = set.hash;
    if (pending === 'always' ? version === this.#polled : version === watched.sent?.hash) {
      if (pending === 'always') watched.held(set, version, configVersion);
      else if (set === made) watched.unchanged(set, configVersion);
      this.#newest = version;
      this.#stream.idle();
      return undefined;
    }
    if (pending === 'ifChanged' && watched.isRejected(set)) {
      this.#stream.idle();
      return undefined;
    }
    const header = { group: this.#documents.groupOf(set), typeUrl, versionInfo: version, configVersion };
    let response = responses.find(header, watched.sentNonce);
    if (response === undefined) {
      const body = yield* this.#documents.prepareBody(set);
      const content = { ...header, body: () => [body], compose: composeRestResponse };
      response = responses.responseFor(content, watched.sentNonce);
    }
    if (!this.#stream.isPolled) return this.#wait(watched, pending);
    const onSent = (): void => {
      this.#newest = version;
      this.#isMaking = false;
    };
    return { response, set, configVersion, onSent };
  }

  #withoutGaps(watched: WatchedResource, made: ResourceSet): ResourceSet {
    const { delta } = this.#connection.environment;
    const { set, hasOldClusters } = withoutGaps(watched, made, delta, () => this.#node.usesOldClusters(this));
    if (watched.provider.typeUrl === TypeUrl.cluster) this.#node.keepsOldClusters(this, hasOldClusters);
    return set;
  }

  /** The next poll gets the response. */
  #wait(watched: WatchedResource, pending: PendingPush): undefined {
    watched.want(pending);
    return undefined;
  }

  *#subscribe(watched: WatchedResource, provider: ResourceProvider, request: RawDiscoveryRequest): Work<void> {
    const { environment, subscriptions } = this.#connection;
    const { encodedNames } = request;
    if (provider.mode === 'wildcard' && isWildcard(encodedNames)) return;
    const names = yield* environment.nameSets.intern(encodedNames, () => readResourceNames(encodedNames), undefined);
    subscriptions.checkNames(watched, names.set.names.length, environment.limits);
    watched.setNames(names);
  }

  #continue(watched: WatchedResource, { versionInfo, errorDetail }: RawDiscoveryRequest): void {
    const nonce = watched.sentNonce;
    if (versionInfo === this.#newest) {
      this.#isRepeated = false;
      if (watched.isUnanswered) this.#connection.acknowledge(watched, nonce, versionInfo);
      return;
    }
    const isRejection = watched.isUnanswered && (errorDetail !== undefined || this.#isRepeated);
    if (isRejection) {
      this.#connection.reject(watched, { nonce, ...(errorDetail ?? { code: UNKNOWN, message: NO_REASON }) });
      return;
    }
    // The response was lost, or the proxy has started the subscription again.
    this.#isRepeated = watched.isUnanswered || this.#isRepeated;
    watched.resubscribe();
  }
}

export interface RestVariantParts {
  readonly stream: Pick<RestStream, 'isPolled' | 'idle'>;
  readonly documents: RestDocuments;
  readonly node: RestNode;
  readonly typeUrl: string;
}

/** The variant of one subscription. */
export interface RestVariant extends ProtocolVariant {
  /** The subscription has ended: its node no longer counts it. */
  close(): void;
}

export function createRestVariant(parts: RestVariantParts): RestVariant {
  const { node } = parts;
  let close = (): void => undefined;
  return {
    create: (connection) => {
      const protocol = new RestProtocol(connection, parts);
      node.enter(protocol);
      close = () => node.leave(protocol);
      return protocol;
    },
    close: () => close(),
  };
}
