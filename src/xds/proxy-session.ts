import type { ResourceSet } from '../envoy/resource-set.js';
import { rpcCodeOf } from '../envoy/rpc-code.js';
import { PUSH_ORDER, shortTypeName, TypeUrl } from '../envoy/type-urls.js';
import type { WorkloadIdentity } from '../model/identity/spiffe-id.js';
import type { Proxy } from '../model/proxy.js';
import type { ProxyConnection } from '../model/proxy-connection.js';
import type { Distribution } from '../push/distribution.js';
import type { NameSet, NameSets } from '../push/name-set.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { PushNotice } from '../push/push-notice.js';
import type { PushTarget, TurnResult } from '../push/push-queue.js';
import type { ComposedResponse } from '../push/response-cache.js';
import type { Clock } from '../telemetry/clock.js';
import type { Logger } from '../telemetry/logger.js';
import type { DiscoveryStream } from './discovery-stream.js';
import { matchIdentity } from './match-identity.js';
import { oweResponse } from './owed-response.js';
import { isWildcard, type RawDiscoveryRequest, readDiscoveryRequest, readResourceNames } from './request-wire.js';
import type { SecretService } from './secrets/secret-service.js';
import type { SecretStream } from './secrets/secret-stream.js';
import type { SessionOptions } from './session-options.js';
import { shorten } from './shorten.js';
import { StreamError } from './stream-error.js';
import { UnservedTypes } from './unserved-types.js';
import { Watch } from './watch.js';
import { STUCK_MS, watchWrite } from './watched-write.js';

/** What every session shares. */
export interface SessionEnvironment {
  readonly distribution: Distribution;
  readonly nameSets: NameSets;
  readonly metrics: PushMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** @throws StreamError when the node does not describe a proxy. */
  readProxy(node: Uint8Array): Proxy;
  /** Asks for a turn. */
  enqueue(session: ProxySession): void;
  /** The session's node is known; called once, before its first turn. */
  register(session: ProxySession): void;
  /** Makes `<node id>-<counter>`. */
  connectionId(nodeId: string): string;
  /** Gives workloads whose identity is proven their certificates. Default: there are none to give. */
  readonly secrets?: SecretService;
  /** Whether an identity that is proven may read the policies of all namespaces. Default: none may. */
  readonly seesAllPolicies?: (identity: WorkloadIdentity) => boolean;
}

/** A response on its way. */
interface SentNow {
  readonly bytes: number;
  readonly flushed: Promise<void>;
}

/**
 * One proxy's state-of-the-world xDS conversation: requests in, owed responses out (BEHAVIOUR 5, "Request
 * handling"). At most one response of each type is unanswered; what happens meanwhile is one flag, whatever
 * the number of changes.
 */
export class ProxySession implements PushTarget {
  readonly #environment: SessionEnvironment;
  readonly #stream: DiscoveryStream;
  /** The only type of a per-type service; undefined on the aggregated one. */
  readonly #onlyType: string | undefined;
  readonly #callerIdentities: readonly WorkloadIdentity[] | undefined;
  readonly #watches = new Map<string, Watch>();
  readonly #unserved = new UnservedTypes();
  readonly #connectedAt: Date;
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

  constructor(environment: SessionEnvironment, stream: DiscoveryStream, options: SessionOptions = {}) {
    this.#environment = environment;
    this.#stream = stream;
    this.#onlyType = options.onlyType;
    this.#callerIdentities = options.callerIdentities;
    this.#connectedAt = environment.clock.now();
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

  /** @throws StreamError when the request ends the stream. */
  receive(message: Buffer): void {
    if (this.#ended) return;
    const request = parseRequest(message, this.#knownNames());
    if (this.#environment.distribution.context === undefined) {
      throw new StreamError('UNAVAILABLE', 'server is not ready to serve discovery information');
    }
    if (this.#proxy === undefined) this.#identify(request);
    const typeUrl = this.#typeOf(request);
    const { generators } = this.#environment.distribution;
    const generator = generators.get(typeUrl);
    if (generator === undefined) {
      const secrets = typeUrl === TypeUrl.secret ? this.#openSecrets() : undefined;
      if (secrets !== undefined) secrets.receive(request);
      else this.#unserved.ignore(typeUrl, this.#id, generators.keys(), this.#environment.logger);
      return;
    }
    const watch = this.#watches.get(typeUrl);
    if (request.errorDetail !== undefined && watch !== undefined) {
      this.#reject(watch, request, request.errorDetail);
    } else if (watch === undefined || request.responseNonce === '') {
      this.#subscribe(watch ?? this.#addWatch(new Watch(generator)), request);
    } else if (request.responseNonce !== watch.sentNonce) {
      this.#environment.metrics.nonceExpired(shortTypeName(typeUrl));
    } else {
      this.#acknowledge(watch, request);
    }
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
    for (const watch of this.#inPushOrder()) {
      if (!watch.isReady) continue;
      const sent = this.#tryRespond(watch, proxy);
      if (sent === undefined) continue;
      bytes += sent.bytes;
      sends.push(sent.flushed);
    }
    if (this.#finishing) void Promise.all(sends).then(() => this.end());
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
  }

  /**
   * The proxy has ended its side, as command-line clients do right after their request: what it is owed is sent,
   * and then our side ends too.
   */
  finish(): void {
    this.#finishing = true;
    if ([...this.#watches.values()].some((watch) => watch.isReady)) this.#environment.enqueue(this);
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
      watches: new Map([...this.#watches].map(([typeUrl, watch]) => [typeUrl, watch.snapshot()])),
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
    }
    this.#id = this.#environment.connectionId(proxy.id);
    this.#environment.register(this);
  }

  #typeOf(request: RawDiscoveryRequest): string {
    const { typeUrl } = request;
    if (this.#onlyType === undefined) {
      if (typeUrl === '')
        throw new StreamError('INVALID_ARGUMENT', 'type_url is missing: an aggregated stream needs it');
      return typeUrl;
    }
    if (typeUrl !== '' && typeUrl !== this.#onlyType) {
      throw new StreamError('INVALID_ARGUMENT', `invalid type ${shorten(typeUrl)}, expected ${this.#onlyType}`);
    }
    return this.#onlyType;
  }

  /** Undefined where no identity is proven, or there is nothing to give. */
  #openSecrets(): SecretStream | undefined {
    const identity = this.#identity;
    if (this.#secrets !== undefined || identity === undefined || !this.#proxy?.hasSecrets) return this.#secrets;
    this.#secrets = this.#environment.secrets?.open(identity, {
      id: this.#id,
      nodeId: this.#proxy?.id ?? '',
      send: (message) => this.#send(shortTypeName(TypeUrl.secret), { message }),
    });
    return this.#secrets;
  }

  #addWatch(watch: Watch): Watch {
    this.#watches.set(watch.generator.typeUrl, watch);
    return watch;
  }

  #subscribe(watch: Watch, request: RawDiscoveryRequest): void {
    this.#setNames(watch, request);
    watch.resubscribe();
    if (watch.isReady) this.#environment.enqueue(this);
  }

  #acknowledge(watch: Watch, request: RawDiscoveryRequest): void {
    // A proxy that has answered already asks for other names with the same nonce, also after a rejection.
    if (watch.isUnanswered) watch.acknowledge(request.responseNonce, request.versionInfo);
    this.#proceed(watch, request);
  }

  #reject(watch: Watch, request: RawDiscoveryRequest, error: { code: number; message: string }): void {
    const type = shortTypeName(watch.generator.typeUrl);
    const code = rpcCodeOf(error.code);
    const { metrics, logger } = this.#environment;
    metrics.rejected(type, this.#proxy?.id ?? '', code);
    const isNews = watch.isUnanswered && request.responseNonce === watch.sentNonce;
    const rejection = shorten(error.message);
    const fields = { connection: this.#id, type, code, nonce: request.responseNonce, rejection };
    if (!isNews) {
      logger.debug(fields, 'Proxy rejected once more, or what is not its newest configuration');
      return;
    }
    logger.warn(fields, 'Proxy rejected its configuration and keeps what it had');
    watch.reject(request.responseNonce, code, rejection);
    this.#proceed(watch, request);
  }

  /** A response has been answered: what waited behind it, or what the answer asks for anew, comes next. */
  #proceed(watch: Watch, request: RawDiscoveryRequest): void {
    if (this.#setNames(watch, request)) watch.want('ifChanged');
    if (watch.isReady) this.#environment.enqueue(this);
  }

  #knownNames(): readonly Buffer[] {
    const known: Buffer[] = [];
    for (const { encodedNames } of this.#watches.values()) {
      if (encodedNames !== undefined) known.push(encodedNames.bytes);
    }
    return known;
  }

  /** True when the set of names is another one now. */
  #setNames(watch: Watch, request: RawDiscoveryRequest): boolean {
    const { encodedNames } = request;
    const before = watch.names;
    const all = watch.generator.mode === 'wildcard' && isWildcard(encodedNames);
    watch.encodedNames = all
      ? undefined
      : this.#environment.nameSets.intern(encodedNames, () => readResourceNames(encodedNames), watch.encodedNames);
    return watch.names !== before;
  }

  /** Types that a push orders first, then the rest in the order of their subscription. */
  *#inPushOrder(): Iterable<Watch> {
    for (const typeUrl of PUSH_ORDER) {
      const watch = this.#watches.get(typeUrl);
      if (watch !== undefined) yield watch;
    }
    for (const [typeUrl, watch] of this.#watches) if (!PUSH_ORDER.includes(typeUrl)) yield watch;
  }

  /** A failure costs this response alone; it stays owed and is tried again with the proxy's next turn. */
  #tryRespond(watch: Watch, proxy: Proxy): SentNow | undefined {
    try {
      return this.#respond(watch, proxy);
    } catch (err) {
      const { metrics, logger } = this.#environment;
      metrics.internalError();
      logger.error(
        { connection: this.#id, type: shortTypeName(watch.generator.typeUrl), err },
        'A response could not be made; the proxy keeps what it has',
      );
      return undefined;
    }
  }

  #respond(watch: Watch, proxy: Proxy): SentNow | undefined {
    const { distribution, clock, metrics } = this.#environment;
    const startMs = clock.monotonicMs();
    const before = watch.sent;
    const owed = oweResponse(distribution, proxy, watch);
    if (owed === undefined) return undefined;
    const { response, set } = owed;
    const { nonce, version, message } = response;
    watch.respond(set, { nonce, version, at: clock.now() }, distribution.root);
    if (watch.generator.typeUrl === TypeUrl.cluster && before !== undefined) this.#warmEndpoints(before, set);
    const type = shortTypeName(watch.generator.typeUrl);
    const flushed = this.#send(type, response).finally(() => {
      watch.written();
      if (watch.isReady && !this.#ended) this.#environment.enqueue(this);
    });
    metrics.pushed(type, (clock.monotonicMs() - startMs) / 1000);
    return { bytes: message.byteLength, flushed };
  }

  /** A changed cluster stays out of use until its endpoints arrive once more, changed or not. */
  #warmEndpoints(before: ResourceSet, after: ResourceSet): void {
    const endpoints = this.#watches.get(TypeUrl.endpoint);
    if (endpoints === undefined) return;
    const { diffs } = this.#environment.distribution;
    // Two cluster pushes before one of endpoints: everything counts as warming, which is never too little.
    endpoints.warming = diffs.diff(endpoints.warming === undefined ? before : undefined, after);
    endpoints.want('ifChanged');
  }

  async #send(type: string, response: Pick<ComposedResponse, 'message'>): Promise<void> {
    const { clock, metrics, logger } = this.#environment;
    try {
      await watchWrite(this.#stream.send(response.message), clock, {
        onSlow: () => {
          metrics.writeTimedOut();
          // Until it is written the response is held, by this very line, for others to share.
          const bytes = response.message.byteLength;
          logger.warn({ connection: this.#id, type, bytes }, 'Proxy does not read what it is sent');
        },
        onStuck: () => {
          const reason = `a ${type} response was not read within ${STUCK_MS / 1000}s`;
          this.end(new StreamError('DEADLINE_EXCEEDED', reason));
        },
      });
    } catch (err) {
      if (this.#ended) return;
      metrics.sendFailed(type);
      logger.debug({ connection: this.#id, type, err }, 'Stream ended while a response was being sent');
    }
  }
}

function parseRequest(message: Buffer, knownNames: readonly Buffer[]): RawDiscoveryRequest {
  try {
    return readDiscoveryRequest(message, knownNames);
  } catch (cause) {
    throw new StreamError('INVALID_ARGUMENT', 'the message is not a DiscoveryRequest', { cause });
  }
}
