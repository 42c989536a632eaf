import { rpcCodeOf } from '../base/rpc-code.js';
import { shortTypeName, TypeUrl } from '../envoy/type-urls.js';
import type { ResourceGenerator } from '../generators/generator.js';
import type { WorkloadIdentity } from '../model/identity/spiffe-id.js';
import type { Proxy } from '../model/proxy.js';
import type { ProxyConnection } from '../model/proxy-connection.js';
import type { EncodedNames, NameSet } from '../push/name-set.js';
import type { PushNotice } from '../push/push-notice.js';
import type { PushTarget, TurnResult } from '../push/push-queue.js';
import type { PushShare } from '../push/push-share.js';
import type { TurnOwner } from '../push/waiting-targets.js';
import type { Work } from '../push/work.js';
import type { DiscoveryStream } from './discovery-stream.js';
import { HeldRoots } from './limits/held-roots.js';
import { LimitError } from './limits/limit-error.js';
import { peerKeyOf } from './limits/peer-key.js';
import type { PeerStream } from './limits/peers.js';
import { matchIdentity } from './match-identity.js';
import { parseRequest, typeOf } from './read-request.js';
import { isWildcard, type RawDiscoveryRequest, readResourceNames } from './request-wire.js';
import { Responder, warmEndpoints } from './responder.js';
import { ResponseWriter } from './response-writer.js';
import type { SecretStream } from './secrets/secret-stream.js';
import type { SessionEnvironment } from './session-environment.js';
import type { SessionOptions } from './session-options.js';
import { shorten } from './shorten.js';
import { StreamError } from './stream-error.js';
import { UnservedTypes } from './unserved-types.js';
import { Watch } from './watch.js';
import { Watches } from './watches.js';

/** New names that count as one more request. */
const NAMES_PER_REQUEST = 1_000;
/** A smaller request that waits for its turn is not worth counting. */
const LARGE_MESSAGE_BYTES = 65_536;

/**
 * One proxy's state-of-the-world xDS conversation: requests in, owed responses out (BEHAVIOUR 5, "Request
 * handling"). At most one response of each type is unanswered; what happens meanwhile is one flag, whatever
 * the number of changes.
 */
export class ProxySession implements PushTarget {
  readonly #environment: SessionEnvironment;
  readonly #stream: DiscoveryStream;
  readonly #peer: PeerStream;
  readonly #owner: TurnOwner;
  readonly #responder: Responder;
  readonly #writer: ResponseWriter;
  /** The only type of a per-type service; undefined on the aggregated one. */
  readonly #onlyType: string | undefined;
  readonly #callerIdentities: readonly WorkloadIdentity[] | undefined;
  readonly #watches = new Watches();
  readonly #held = new HeldRoots();
  readonly #unserved = new UnservedTypes();
  readonly #connectedAt: Date;
  #share: PushShare;
  /** A large message whose turn has not come, or that is being read. */
  #message: Buffer | undefined;
  #id = '';
  #proxy: Proxy | undefined;
  #identity: WorkloadIdentity | undefined;
  /** Open once it has asked for secrets that it can have. */
  #secrets: SecretStream | undefined;
  #ended = false;
  /** The proxy has ended its side: it gets what it asked for, and nothing more. */
  #finishing = false;
  /** Start of the oldest change that has not been sent, and whether it asked for a full push. */
  #waitingSinceMs: number | undefined;
  #waitingForFull = false;

  /** @throws LimitError when the peer has too many streams */
  constructor(environment: SessionEnvironment, stream: DiscoveryStream, options: SessionOptions = {}) {
    this.#environment = environment;
    this.#stream = stream;
    this.#onlyType = options.onlyType;
    this.#callerIdentities = options.callerIdentities;
    this.#connectedAt = environment.clock.now();
    const { lane, name, connection } = peerKeyOf(stream.peer, options.callerIdentities);
    this.#peer = environment.peers.open({ lane, name, connection });
    this.#share = { lane, peer: name, source: connection };
    this.#owner = { peer: `${lane} ${name}`, source: connection };
    const { distribution, runner, metrics, clock, logger } = environment;
    const ofStream = { connectionId: () => this.#id, isEnded: () => this.#ended };
    this.#writer = new ResponseWriter({
      ...{ stream, peer: this.#peer, metrics, clock, logger, ...ofStream },
      fail: (error) => this.#fail(error),
      onWritten: () => this.#hold(),
    });
    this.#responder = new Responder({
      ...{ distribution, runner, metrics, clock, logger, ...ofStream },
      owner: this.#owner,
      onPrepared: () => environment.enqueue(this),
      send: (type, message) => this.#writer.send(type, message),
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
   * Which workload the proxy is: proven by the caller, and what the node claims. Undefined before the first request,
   * and where callers prove nothing.
   */
  get identity(): WorkloadIdentity | undefined {
    return this.#identity;
  }

  /** What the proxy asks for of a type; undefined for everything, or nothing yet. */
  namesOf(typeUrl: string): NameSet | undefined {
    return this.#watches.get(typeUrl)?.names;
  }

  /**
   * Takes a request, at once or when it is the peer's turn. The next one has to wait until this one is dealt with.
   *
   * @returns what it counts as: 1, and more for one with many new names; a promise where it was not dealt with at once
   * @throws StreamError when the request ends the stream; so does the promise
   */
  receive(message: Buffer): number | Promise<number> {
    const reading = { cost: 1 };
    const finished = this.#environment.runner.runInTurn(this.#owner, this.#read(message, reading));
    return finished === undefined ? reading.cost : this.#readLater(message, finished, reading);
  }

  async #readLater(message: Buffer, finished: Promise<void>, reading: { readonly cost: number }): Promise<number> {
    if (message.length >= LARGE_MESSAGE_BYTES) {
      this.#message = message;
      this.#hold();
    }
    try {
      await finished;
    } finally {
      this.#message = undefined;
    }
    return reading.cost;
  }

  *#read(message: Buffer, reading: { cost: number }): Work<void> {
    if (this.#ended) return;
    const { distribution, limits } = this.#environment;
    const request = parseRequest(message, this.#watches.knownNames(), limits.names);
    if (distribution.context === undefined) {
      throw new StreamError('UNAVAILABLE', 'server is not ready to serve discovery information');
    }
    if (this.#proxy === undefined) this.#identify(request);
    const typeUrl = typeOf(request, this.#onlyType);
    const generator = distribution.generators.get(typeUrl);
    if (generator === undefined) {
      const secrets = typeUrl === TypeUrl.secret ? this.#openSecrets() : undefined;
      if (secrets !== undefined) secrets.receive(request);
      else this.#unserved.ignore(typeUrl, this.#id, distribution.generators.keys(), this.#environment.logger);
      return;
    }
    reading.cost = 1 + request.newNames / NAMES_PER_REQUEST;
    yield* this.#take(request, generator);
  }

  /** Reads the names, of which there may be many, and then does what the request asks for. */
  *#take(request: RawDiscoveryRequest, generator: ResourceGenerator): Work<void> {
    const watch = this.#watches.get(generator.typeUrl);
    const all = generator.mode === 'wildcard' && isWildcard(request.encodedNames);
    const names = all ? undefined : yield* this.#internNames(request.encodedNames, watch);
    if (this.#ended) return;
    if (request.errorDetail !== undefined && watch !== undefined) {
      this.#reject(watch, request, names, request.errorDetail);
    } else if (watch === undefined || request.responseNonce === '') {
      this.#subscribe(
        watch ?? this.#watches.add(new Watch(generator, () => this.#environment.progressed(this))),
        names,
      );
    } else if (request.responseNonce !== watch.sentNonce) {
      this.#environment.metrics.nonceExpired(shortTypeName(generator.typeUrl));
    } else {
      this.#acknowledge(watch, request, names);
    }
  }

  /** @throws LimitError when the stream would then have too many names */
  *#internNames(encoded: Uint8Array, watch: Watch | undefined): Work<EncodedNames> {
    const { nameSets, limits } = this.#environment;
    const names = yield* nameSets.intern(encoded, () => readResourceNames(encoded), watch?.encodedNames);
    const count = names.set.names.length;
    const others = this.#watches.namesBeside(watch);
    if (count > limits.names) {
      throw new LimitError('names', `the request names ${count} resources, more than ${limits.names}`);
    }
    if (count + others > limits.streamNames) {
      const what = `the subscriptions of the stream name ${count + others} resources, more than ${limits.streamNames}`;
      throw new LimitError('streamNames', what);
    }
    return names;
  }

  /** Marks what a push may have changed for this proxy; true when it needs a turn. */
  notePush({ request, concerns }: PushNotice): boolean {
    const proxy = this.#proxy;
    if (proxy === undefined || this.#ended || this.#finishing) return false;
    const ownServicesChanged = proxy.ipAddresses.some((address) => request.addresses.has(address));
    let concerned = false;
    for (const watch of this.#watches.values()) {
      if (ownServicesChanged || concerns(watch.generator, proxy.type)) {
        watch.want('ifChanged');
        concerned = true;
      } else if (this.#responder.isPreparing(watch)) {
        // What is being made is about an earlier snapshot: this one's place in the ledger is found out after it.
        watch.want('ifChanged');
      } else if (watch.due === 'no') {
        watch.unaffected(this.#environment.distribution.root);
      }
    }
    if (concerned) {
      this.#waitingSinceMs = Math.min(this.#waitingSinceMs ?? request.startMs, request.startMs);
      this.#waitingForFull ||= request.full;
    }
    return concerned;
  }

  takeTurn(): TurnResult {
    const proxy = this.#proxy;
    if (this.#ended || proxy === undefined) return { bytes: 0, flushed: undefined };
    const { metrics, clock } = this.#environment;
    const sinceMs = this.#waitingSinceMs;
    const full = this.#waitingForFull;
    this.#waitingSinceMs = undefined;
    this.#waitingForFull = false;
    if (sinceMs !== undefined) metrics.queued((clock.monotonicMs() - sinceMs) / 1000);
    const sends: Promise<void>[] = [];
    let bytes = 0;
    for (const watch of this.#watches.inPushOrder()) {
      const before = watch.sent;
      const outcome = this.#responder.respond(watch, proxy);
      if (outcome.is === 'preparing') {
        // The types after it come in the turn that sends it.
        this.#waitingSinceMs = sinceMs;
        this.#waitingForFull = full;
        break;
      }
      if (outcome.is === 'nothing') continue;
      bytes += outcome.bytes;
      sends.push(this.#afterWrite(watch, outcome.flushed));
      const { typeUrl } = watch.generator;
      if (typeUrl === TypeUrl.cluster && before !== undefined && watch.sent !== undefined) {
        warmEndpoints(this.#environment.distribution, this.#watches, before, watch.sent);
      }
    }
    this.#hold();
    if (this.#finishing && !this.#responder.isPreparing()) void Promise.all(sends).then(() => this.end());
    if (sends.length === 0) return { bytes, flushed: undefined };
    const flushed = Promise.all(sends).then(() => {
      if (full && sinceMs !== undefined) metrics.converged((clock.monotonicMs() - sinceMs) / 1000);
    });
    return { bytes, flushed };
  }

  /** The stream is gone; nothing more is sent or counted. */
  close(): void {
    this.#ended = true;
    this.#secrets?.close();
    this.#peer.close();
  }

  /**
   * The proxy has ended its side, as command-line clients do right after their request: what it is owed is sent,
   * and then our side ends too.
   */
  finish(): void {
    this.#finishing = true;
    if (this.#responder.isPreparing()) return;
    if (this.#watches.isReady) this.#environment.enqueue(this);
    else this.end();
  }

  /** Ends the stream from our side. */
  end(error?: StreamError): void {
    this.close();
    this.#stream.end(error);
  }

  /** Undefined until the proxy has said who it is. */
  snapshot(): ProxyConnection | undefined {
    if (this.#proxy === undefined) return undefined;
    return {
      id: this.#id,
      proxy: this.#proxy,
      peer: this.#stream.peer,
      connectedAt: this.#connectedAt,
      watches: new Map([...this.#watches.values()].map((watch) => [watch.generator.typeUrl, watch.snapshot()])),
    };
  }

  #identify(request: RawDiscoveryRequest): void {
    if (request.node === undefined) {
      throw new StreamError('INVALID_ARGUMENT', 'missing node ID: the first request of a stream must carry its node');
    }
    const proxy = this.#environment.readProxy(request.node);
    if (this.#callerIdentities === undefined) {
      this.#proxy = proxy;
    } else {
      this.#identity = matchIdentity(proxy, this.#callerIdentities);
      const { secrets, seesAllPolicies } = this.#environment;
      this.#proxy = {
        ...proxy,
        hasSecrets: secrets?.isFor(this.#identity) ?? false,
        seesAllPolicies: seesAllPolicies?.(this.#identity) ?? false,
      };
      this.#share = { ...this.#share, source: proxy.id };
    }
    this.#id = this.#environment.connectionId(proxy.id);
    this.#environment.register(this);
  }

  /** Undefined where no identity is proven, or there is nothing to give. */
  #openSecrets(): SecretStream | undefined {
    const identity = this.#identity;
    if (this.#secrets !== undefined || identity === undefined || !this.#proxy?.hasSecrets) return this.#secrets;
    this.#secrets = this.#environment.secrets?.open(identity, {
      id: this.#id,
      nodeId: this.#proxy?.id ?? '',
      send: (message) => this.#writer.send(shortTypeName(TypeUrl.secret), message),
    });
    return this.#secrets;
  }

  #subscribe(watch: Watch, names: EncodedNames | undefined): void {
    watch.setNames(names);
    watch.resubscribe();
    this.#hold();
    if (watch.isReady) this.#environment.enqueue(this);
  }

  #acknowledge(watch: Watch, request: RawDiscoveryRequest, names: EncodedNames | undefined): void {
    // A proxy that has answered already asks for other names with the same nonce, also after a rejection.
    if (watch.isUnanswered) watch.acknowledge(request.responseNonce, request.versionInfo);
    this.#proceed(watch, names);
  }

  #reject(
    watch: Watch,
    request: RawDiscoveryRequest,
    names: EncodedNames | undefined,
    error: { code: number; message: string },
  ): void {
    const type = shortTypeName(watch.generator.typeUrl);
    const code = rpcCodeOf(error.code);
    const { metrics, logger, rejectionLog } = this.#environment;
    metrics.rejected(type, this.#proxy?.id ?? '', code);
    const isNews = watch.isUnanswered && request.responseNonce === watch.sentNonce;
    const rejection = shorten(error.message);
    const fields = { connection: this.#id, type, code, nonce: request.responseNonce, rejection };
    if (!isNews) {
      logger.debug(fields, 'Proxy rejected once more, or what is not its newest configuration');
      return;
    }
    rejectionLog.warn(this.#peer.key.name, fields, 'Proxy rejected its configuration and keeps what it had');
    watch.reject(request.responseNonce, code, rejection);
    this.#proceed(watch, names);
  }

  /** A response has been answered: what waited behind it, or what the answer asks for anew, comes next. */
  #proceed(watch: Watch, names: EncodedNames | undefined): void {
    if (watch.setNames(names)) watch.want('ifChanged');
    this.#hold();
    if (watch.isReady) this.#environment.enqueue(this);
  }

  /** Tells the peer's account what this stream keeps in memory, and ends the stream when that is too much. */
  #hold(): void {
    if (this.#ended) return;
    try {
      const objects = this.#held.update((add) => {
        this.#watches.tellHeld(add);
        this.#writer.tellHeld(add);
        if (this.#message !== undefined) add(this.#message);
      });
      if (objects !== undefined) this.#peer.hold(objects);
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

  async #afterWrite(watch: Watch, flushed: Promise<void>): Promise<void> {
    await flushed;
    watch.written();
    if (watch.isReady && !this.#ended) this.#environment.enqueue(this);
  }
}
