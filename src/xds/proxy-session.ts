import { EMPTY_RESOURCE_SET, type ResourceSet } from '../envoy/resource-set.js';
import { shortTypeName } from '../envoy/type-urls.js';
import type { Proxy } from '../model/proxy.js';
import type { ProxyConnection } from '../model/proxy-connection.js';
import type { WorkloadIdentity } from '../model/spiffe-id.js';
import type { NameSet } from '../push/name-set.js';
import type { PushNotice } from '../push/push-notice.js';
import type { PushResult, PushTarget } from '../push/push-queue.js';
import type { PushShare } from '../push/push-slots.js';
import type { TurnOwner } from '../push/waiting-targets.js';
import type { Work } from '../push/work.js';
import { type Rights, rightsOfAddress, rightsOfIdentities } from './client-status/rights.js';
import type { DiscoveryProtocol, ProtocolVariant, Rejection, RequestHead } from './discovery-protocol.js';
import type { DiscoveryStream } from './discovery-stream.js';
import { type PeerStream, peerKeyOf } from './limits/peers.js';
import { matchIdentity } from './match-identity.js';
import { PatchTrials } from './patches/patch-trials.js';
import { RequestedTypes } from './requested-types.js';
import type { ResourceProvider } from './resource-provider.js';
import { Responder } from './responder.js';
import { ResponseWriter } from './response-writer.js';
import type { SessionEnvironment } from './session-environment.js';
import { STATE_OF_THE_WORLD } from './state-of-the-world.js';
import { StreamError } from './stream-error.js';
import { Subscriptions } from './subscriptions.js';
import { takesVirtualHosts } from './virtual-host-resources.js';
import type { WatchedResource } from './watched-resource.js';

/** A smaller request that waits for its turn is not worth counting. */
const LARGE_MESSAGE_BYTES = 65_536;

export interface SessionOptions {
  /** The only type of a per-type service; undefined on the aggregated one. */
  readonly onlyType?: string | undefined;
  /** The identities that the caller has proven. Undefined on a listener that does not authenticate callers. */
  readonly callerIdentities?: readonly WorkloadIdentity[] | undefined;
  /** The variant of xDS that the stream speaks. State of the world by default. */
  readonly variant?: ProtocolVariant;
}

/**
 * The connection of one proxy: its identity, its node, the account of its peer, and its end. The connection hands
 * requests to its protocol, which changes the subscriptions; the Responder sends what these are waiting for.
 */
export class ProxySession implements PushTarget {
  readonly #environment: SessionEnvironment;
  readonly #stream: DiscoveryStream;
  readonly #callerIdentities: SessionOptions['callerIdentities'];
  readonly #peer: PeerStream;
  readonly #owner: TurnOwner;
  readonly #subscriptions: Subscriptions;
  readonly #protocol: DiscoveryProtocol;
  readonly #responder: Responder;
  readonly #writer: ResponseWriter;
  readonly #types: RequestedTypes;
  readonly #speaksDelta: boolean;
  readonly #patches: PatchTrials;
  readonly #connectedAt: Date;
  /** Whether the stream can carry route tables without their virtual hosts. */
  readonly #splitsRoutes: boolean;
  #share: PushShare;
  /** A large message that waits for its turn, or is being read. */
  #message: Buffer | undefined;
  #id = '';
  #proxy: Proxy | undefined;
  #identity: WorkloadIdentity | undefined;
  #ended = false;
  /** The proxy has ended its side: it gets the responses to its requests, and no pushes. */
  #finishing = false;

  /** @throws LimitError if the peer has too many streams */
  constructor(environment: SessionEnvironment, stream: DiscoveryStream, options: SessionOptions = {}) {
    this.#environment = environment;
    this.#stream = stream;
    this.#callerIdentities = options.callerIdentities;
    this.#connectedAt = environment.clock.now();
    const { variant = STATE_OF_THE_WORLD } = options;
    this.#speaksDelta = variant.isDelta ?? false;
    const { lane, name, connection: address } = peerKeyOf(stream.peer, options.callerIdentities);
    const connection = stream.connection ?? address;
    this.#peer = environment.peers.open({ lane, name, connection });
    this.#subscriptions = new Subscriptions(this.#peer, () => environment.progressed(this), variant.afterDoubt);
    this.#splitsRoutes = this.#speaksDelta && options.onlyType === undefined;
    this.#types = new RequestedTypes({
      environment,
      subscriptions: this.#subscriptions,
      account: this.#peer,
      onlyType: options.onlyType,
      onChange: (typeUrl) => this.#responder.changed(typeUrl),
      rights: () => this.#rights(),
      fail: (error) => this.#fail(error),
    });
    this.#share = { lane, peer: name, source: connection };
    this.#owner = { peer: `${lane} ${name}`, source: connection };
    const { metrics, clock, logger } = environment;
    const ofStream = { connectionId: () => this.#id, isEnded: () => this.#ended };
    const enqueue = (): void => environment.enqueue(this);
    this.#writer = new ResponseWriter({
      ...{ stream, peer: this.#peer, metrics, clock, logger, ...ofStream },
      fail: (error) => this.#fail(error),
    });
    this.#patches = new PatchTrials(environment, () => this.#reported());
    this.#protocol = variant.create({
      environment,
      subscriptions: this.#subscriptions,
      isEnded: ofStream.isEnded,
      open: (head) => this.#open(head),
      reject: (watched, rejection) => this.#reject(watched, rejection),
      acknowledge: (watched, nonce, version) => {
        watched.acknowledge(nonce, version);
        this.#patches.accepted(watched);
      },
      beyondNames: (typeUrl, number) => environment.beyondNames(this.#reported(), shortTypeName(typeUrl), number),
      proceed: () => {
        this.#checkHeld();
        if (this.#responder.isReady) enqueue();
      },
    });
    this.#responder = new Responder({
      ...{ environment, subscriptions: this.#subscriptions, protocol: this.#protocol, owner: this.#owner },
      ...ofStream,
      enqueue,
      send: (type, message, done) => this.#writer.send(type, message, done),
      onUnacknowledged: (type) => environment.unacknowledged(this.#reported(), type),
      onUpToDate: (watched) => {
        if (this.#patches.accepted(watched)) enqueue();
      },
    });
  }

  get share(): PushShare {
    return this.#share;
  }

  get id(): string {
    return this.#id;
  }

  get proxy(): Proxy | undefined {
    return this.#proxy;
  }

  /**
   * The workload that the proxy is: the caller proved it, and the node claims it. Undefined before the first request,
   * and on a listener that does not authenticate callers.
   */
  get identity(): WorkloadIdentity | undefined {
    return this.#identity;
  }

  /**
   * The names that the proxy subscribes to, `*` for everything; undefined for everything alone, and for a type without a
   * public subscription.
   */
  namesOf(typeUrl: string): NameSet | undefined {
    const watched = this.#subscriptions.get(typeUrl);
    return watched?.provider.isPrivate === false ? watched.namesWithWildcard : undefined;
  }

  /** The resources of a type that the proxy has, once it accepts the newest response; undefined if there are none. */
  sentOf(typeUrl: string): ResourceSet | undefined {
    const watched = this.#subscriptions.get(typeUrl);
    return watched?.provider.isPrivate === false ? watched.sent : undefined;
  }

  /** Makes the resources of a type that the proxy should have now, as for a response. None for a private type. */
  *prepare(typeUrl: string): Work<ResourceSet> {
    const watched = this.#subscriptions.get(typeUrl);
    if (watched?.provider.isPrivate !== false) return EMPTY_RESOURCE_SET;
    return yield* watched.provider.prepare(watched.namesWithWildcard);
  }

  /**
   * Handles a request, at once or when it is the peer's turn. The next one has to wait until this one is handled.
   *
   * @returns how many requests it counts as: 1, and more if it has many new names; a promise if it has to wait
   * @throws StreamError if the request ends the stream; the promise rejects with it
   */
  receive(message: Buffer): number | Promise<number> {
    if (!this.#ended && this.#protocol.acknowledge?.(message) === true) return 1;
    const reading = { cost: 1 };
    const finished = this.#environment.runner.runInTurn(this.#owner, this.#read(message, reading));
    return finished === undefined ? reading.cost : this.#readLater(message, finished, reading);
  }

  /** Marks the types that a push may have changed. @returns whether the session needs a turn */
  notePush(notice: PushNotice): boolean {
    return !this.#ended && !this.#finishing && this.#responder.notePush(notice);
  }

  push(): PushResult {
    if (this.#ended) return { bytes: 0, writes: undefined };
    const result = this.#responder.push();
    this.#checkHeld();
    if (this.#finishing && !this.#responder.isInterrupted) {
      if (result.writes === undefined) this.end();
      else result.writes.whenDone(() => this.end());
    }
    return result;
  }

  /** The stream is gone: sends and counts nothing more. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#responder.stop();
    this.#writer.stop();
    this.#types.close();
    this.#subscriptions.clear();
    this.#setMessage(undefined);
    this.#peer.close();
    this.#environment.events?.disconnected(this);
  }

  /**
   * The proxy has ended its side, as command-line clients do right after their requests. Sends the pending responses,
   * then ends this side.
   */
  finish(): void {
    this.#finishing = true;
    if (this.#responder.isPreparing) return;
    if (this.#responder.isReady) this.#environment.enqueue(this);
    else this.end();
  }

  /** Ends the stream from this side. */
  end(error?: StreamError): void {
    this.close();
    this.#stream.end(error);
  }

  /** Undefined before the first request. */
  snapshot(): ProxyConnection | undefined {
    if (this.#proxy === undefined) return undefined;
    const watches = [...this.#subscriptions.values()].filter(({ provider }) => !provider.isPrivate);
    return {
      id: this.#id,
      proxy: this.#proxy,
      peer: this.#stream.peer,
      connectedAt: this.#connectedAt,
      watches: new Map(watches.map((watched) => [watched.provider.typeUrl, watched.snapshot()])),
    };
  }

  /** The resources of a type at the proxy, for debug pages; undefined for a type that it does not get or that is private. */
  resourcesOf(typeUrl: string): { readonly accepted?: ResourceSet; readonly offered?: ResourceSet } | undefined {
    const watched = this.#subscriptions.get(typeUrl);
    if (watched === undefined || watched.provider.isPrivate) return undefined;
    const { accepted } = watched;
    const offered = watched.isUnanswered ? watched.sent : watched.rejected;
    return { ...(accepted && { accepted }), ...(offered && { offered }) };
  }

  async #readLater(message: Buffer, finished: Promise<void>, reading: { readonly cost: number }): Promise<number> {
    if (message.length >= LARGE_MESSAGE_BYTES) {
      this.#setMessage(message);
      this.#checkHeld();
    }
    try {
      await finished;
    } finally {
      this.#setMessage(undefined);
    }
    return reading.cost;
  }

  *#read(message: Buffer, reading: { cost: number }): Work<void> {
    if (!this.#ended) reading.cost = yield* this.#protocol.receive(message);
  }

  /** Undefined for a type that this stream does not get. */
  #open(head: RequestHead): ResourceProvider | undefined {
    if (this.#environment.distribution.context === undefined) {
      throw new StreamError('UNAVAILABLE', 'server is not ready to serve discovery information');
    }
    const proxy = this.#proxy ?? this.#identify(head);
    const typeUrl = this.#types.typeOf(head);
    const watched = this.#subscriptions.get(typeUrl);
    return watched?.provider ?? this.#types.open(typeUrl, { connectionId: this.#id, proxy, identity: this.#identity });
  }

  #identify({ node }: RequestHead): Proxy {
    if (node === undefined) {
      throw new StreamError('INVALID_ARGUMENT', 'missing node ID: the first request of a stream must carry its node');
    }
    const { secrets, seesAllPolicies, readProxy, connectionId, register } = this.#environment;
    let proxy: Proxy = readProxy(node);
    if (this.#speaksDelta) proxy = { ...proxy, speaksDelta: true };
    if (this.#callerIdentities !== undefined) {
      const identity = matchIdentity(proxy, this.#callerIdentities);
      this.#identity = identity;
      const hasSecrets = secrets?.isFor(identity) ?? false;
      proxy = { ...proxy, hasSecrets, seesAllPolicies: seesAllPolicies?.(identity) ?? false };
      this.#share = { ...this.#share, source: proxy.id };
    }
    if (proxy.isApiClient === true) proxy = { ...proxy, readsObjects: this.#readableObjects(proxy) };
    if (this.#splitsRoutes && takesVirtualHosts(proxy)) proxy = { ...proxy, takesVirtualHosts: true };
    this.#proxy = proxy;
    this.#id = connectionId(proxy.id);
    register(this);
    this.#environment.events?.connected();
    return proxy;
  }

  /** @throws StreamError PERMISSION_DENIED without an identity, for a caller of another machine */
  #readableObjects({ seesAllPolicies = false }: Proxy): 'all' | 'namespace' {
    if (this.#identity !== undefined) return seesAllPolicies ? 'all' : 'namespace';
    this.#rights();
    return 'all';
  }

  /** What the caller may see of connected proxies. @throws StreamError PERMISSION_DENIED */
  #rights(): Rights {
    if (this.#identity !== undefined) return rightsOfIdentities([this.#identity], this.#environment);
    return rightsOfAddress(this.#stream.peer, this.#stream.isDirect !== true);
  }

  #reject(watched: WatchedResource, rejection: Rejection): boolean {
    const { accepted } = watched;
    const isNew = this.#environment.rejected(this.#reported(), watched, rejection);
    if (isNew) {
      this.#patches.rejected(watched, accepted, rejection.message);
      this.#environment.events?.rejected(this, watched.provider.typeUrl, rejection);
    }
    return isNew;
  }

  #setMessage(message: Buffer | undefined): void {
    this.#message = this.#peer.replace(this.#message, message);
  }

  /** Ends the stream if it, or its peer, keeps too much in memory. */
  #checkHeld(): void {
    if (this.#ended) return;
    try {
      this.#peer.checkBytes();
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      this.#fail(error);
    }
  }

  #fail(error: StreamError): void {
    if (this.#ended) return;
    this.#environment.refused(this.#stream.peer, error);
    this.end(error);
  }

  #reported() {
    const { id = '', configNamespace = '' } = this.#proxy ?? {};
    return { peer: this.#peer.key.name, connection: this.#id, node: id, namespace: configNamespace };
  }
}
