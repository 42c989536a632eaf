import type { ResourceSet } from '../envoy/resource-set.js';
import { PUSH_ORDER, shortTypeName, TypeUrl } from '../envoy/type-urls.js';
import type { Proxy } from '../model/proxy.js';
import type { ProxyConnection } from '../model/proxy-connection.js';
import type { PushRequest } from '../model/push-request.js';
import type { Distribution } from '../push/distribution.js';
import type { NameSets } from '../push/name-set.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { PushTarget, TurnResult } from '../push/push-queue.js';
import type { Clock } from '../telemetry/clock.js';
import type { Logger } from '../telemetry/logger.js';
import type { DiscoveryStream } from './discovery-stream.js';
import { grpcCodeName } from './grpc-code.js';
import { type RawDiscoveryRequest, readDiscoveryRequest, readResourceNames } from './request-wire.js';
import { StreamError } from './stream-error.js';
import { createWatch, type Due, snapshotWatch, type Watch } from './watch.js';

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
}

/** A response is counted as timed out after 5 s (BEHAVIOUR 1), and ends the stream after a minute. */
const WRITE_WARNING_MS = 5_000;
const WRITE_LIMIT_MS = 60_000;

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
  readonly #watches = new Map<string, Watch>();
  readonly #ignoredTypes = new Set<string>();
  readonly #connectedAt: Date;
  #id = '';
  #proxy: Proxy | undefined;
  #ended = false;
  /** Start of the oldest change that has not been sent, and whether it asked for a full push. */
  #waitingSinceMs: number | undefined;
  #waitingForFull = false;

  constructor(environment: SessionEnvironment, stream: DiscoveryStream, onlyType: string | undefined) {
    this.#environment = environment;
    this.#stream = stream;
    this.#onlyType = onlyType;
    this.#connectedAt = environment.clock.now();
  }

  get id(): string {
    return this.#id;
  }

  get proxy(): Proxy | undefined {
    return this.#proxy;
  }

  /** @throws StreamError when the request ends the stream. */
  receive(message: Uint8Array): void {
    if (this.#ended) return;
    const request = parseRequest(message);
    if (this.#environment.distribution.context === undefined) {
      throw new StreamError('UNAVAILABLE', 'server is not ready to serve discovery information');
    }
    if (this.#proxy === undefined) this.#identify(request);
    const typeUrl = this.#typeOf(request);
    const generator = this.#environment.distribution.generators.get(typeUrl);
    if (generator === undefined) {
      this.#ignore(typeUrl);
      return;
    }
    const watch = this.#watches.get(typeUrl);
    if (request.errorDetail !== undefined && watch !== undefined) {
      this.#reject(watch, request, request.errorDetail);
    } else if (watch === undefined || request.responseNonce === '') {
      this.#subscribe(watch ?? this.#addWatch(createWatch(generator)), request);
    } else if (request.responseNonce !== watch.sentNonce) {
      this.#environment.metrics.nonceExpired(shortTypeName(typeUrl));
    } else {
      this.#acknowledge(watch, request);
    }
  }

  /** Marks what a push may have changed for this proxy; true when it needs a turn. */
  notePush(request: PushRequest): boolean {
    const proxy = this.#proxy;
    if (proxy === undefined || this.#ended) return false;
    const ownServicesChanged = proxy.ipAddresses.some((address) => request.addresses.has(address));
    let concerned = false;
    for (const watch of this.#watches.values()) {
      if (ownServicesChanged || watch.generator.affectedBy(request, proxy.type)) {
        if (watch.due === 'no') watch.due = 'ifChanged';
        concerned = true;
      } else if (watch.due === 'no') {
        this.#upToDate(watch);
      }
    }
    if (concerned) {
      this.#waitingSinceMs = Math.min(this.#waitingSinceMs ?? request.startMs, request.startMs);
      this.#waitingForFull ||= request.full;
    }
    return concerned;
  }

  takeTurn(): TurnResult {
    if (this.#ended) return { bytes: 0, flushed: undefined };
    const { metrics, clock } = this.#environment;
    const sinceMs = this.#waitingSinceMs;
    const full = this.#waitingForFull;
    this.#waitingSinceMs = undefined;
    this.#waitingForFull = false;
    if (sinceMs !== undefined) metrics.queued((clock.monotonicMs() - sinceMs) / 1000);
    const sends: Promise<void>[] = [];
    let bytes = 0;
    for (const watch of this.#inPushOrder()) {
      if (watch.due === 'no' || watch.inFlight) continue;
      const sent = this.#respond(watch);
      if (sent === undefined) continue;
      bytes += sent.bytes;
      sends.push(sent.flushed);
    }
    if (sends.length === 0) return { bytes, flushed: undefined };
    const flushed = Promise.all(sends).then(() => {
      if (full && sinceMs !== undefined) metrics.converged((clock.monotonicMs() - sinceMs) / 1000);
    });
    return { bytes, flushed };
  }

  /** The stream is gone; nothing more is sent or counted. */
  close(): void {
    this.#ended = true;
  }

  /** Ends the stream from our side. */
  end(error?: StreamError): void {
    this.#ended = true;
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
      watches: new Map([...this.#watches].map(([typeUrl, watch]) => [typeUrl, snapshotWatch(watch)])),
    };
  }

  #identify(request: RawDiscoveryRequest): void {
    if (request.node === undefined) {
      throw new StreamError('INVALID_ARGUMENT', 'missing node ID: the first request of a stream must carry its node');
    }
    this.#proxy = this.#environment.readProxy(request.node);
    this.#id = this.#environment.connectionId(this.#proxy.id);
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
      throw new StreamError('INVALID_ARGUMENT', `invalid type ${typeUrl}, expected ${this.#onlyType}`);
    }
    return this.#onlyType;
  }

  #ignore(typeUrl: string): void {
    const v3 = v3TypeOf(typeUrl);
    if (v3 !== undefined) throw new StreamError('INVALID_ARGUMENT', `invalid type ${typeUrl}, expected ${v3}`);
    if (this.#ignoredTypes.has(typeUrl) || this.#ignoredTypes.size >= 16) return;
    this.#ignoredTypes.add(typeUrl);
    this.#environment.logger.warn(
      { connection: this.#id, typeUrl, served: [...this.#environment.distribution.generators.keys()] },
      'Proxy asks for a resource type that is not served; the request is ignored',
    );
  }

  #addWatch(watch: Watch): Watch {
    this.#watches.set(watch.generator.typeUrl, watch);
    return watch;
  }

  #subscribe(watch: Watch, request: RawDiscoveryRequest): void {
    this.#setNames(watch, request);
    // A new subscription starts from nothing, whatever this stream was sent before.
    watch.sent = undefined;
    watch.accepted = undefined;
    watch.refused = undefined;
    watch.inFlight = false;
    this.#want(watch, 'always');
  }

  #acknowledge(watch: Watch, request: RawDiscoveryRequest): void {
    watch.inFlight = false;
    watch.ackedNonce = request.responseNonce;
    watch.ackedVersion = request.versionInfo;
    watch.ackedRoot = watch.sentRoot;
    watch.accepted = watch.sent;
    watch.refused = undefined;
    watch.rejection = undefined;
    if (this.#setNames(watch, request)) this.#want(watch, 'ifChanged');
    else if (watch.due !== 'no') this.#environment.enqueue(this);
    else this.#upToDate(watch);
  }

  #reject(watch: Watch, request: RawDiscoveryRequest, error: { code: number; message: string }): void {
    const type = shortTypeName(watch.generator.typeUrl);
    const code = grpcCodeName(error.code);
    const { metrics, logger } = this.#environment;
    metrics.rejected(type, this.#proxy?.id ?? '', code);
    logger.warn(
      { connection: this.#id, type, code, nonce: request.responseNonce, rejection: error.message },
      'Proxy rejected its configuration and keeps what it had',
    );
    if (request.responseNonce !== watch.sentNonce) return;
    watch.inFlight = false;
    watch.rejection = { code, message: error.message, nonce: request.responseNonce };
    // The proxy is where it was: what it refused is neither counted as sent nor offered again unchanged.
    watch.refused = watch.sent;
    watch.sent = watch.accepted;
    const renamed = this.#setNames(watch, request);
    if (renamed) this.#want(watch, 'ifChanged');
    else if (watch.due !== 'no') this.#environment.enqueue(this);
  }

  /** True when the set of names is another one now. */
  #setNames(watch: Watch, request: RawDiscoveryRequest): boolean {
    const { encodedNames } = request;
    const all = watch.generator.mode === 'wildcard' && isWildcard(encodedNames);
    const names = all
      ? undefined
      : this.#environment.nameSets.intern(encodedNames, () => readResourceNames(encodedNames));
    if (watch.names === names) return false;
    watch.names = names;
    return true;
  }

  #want(watch: Watch, due: Due): void {
    if (watch.due !== 'always') watch.due = due;
    this.#environment.enqueue(this);
  }

  /** Types that a push orders first, then the rest in the order of their subscription. */
  *#inPushOrder(): Iterable<Watch> {
    for (const typeUrl of PUSH_ORDER) {
      const watch = this.#watches.get(typeUrl);
      if (watch !== undefined) yield watch;
    }
    for (const [typeUrl, watch] of this.#watches) if (!PUSH_ORDER.includes(typeUrl)) yield watch;
  }

  /**
   * The newest configuration leaves this type as the proxy has it.
   *
   * @param set the equal set of the newest snapshot, when it was generated.
   */
  #upToDate(watch: Watch, set?: ResourceSet): void {
    if (set !== undefined) {
      watch.sent = set;
      watch.accepted = watch.inFlight ? watch.accepted : set;
      watch.refused = undefined;
      watch.rejection = undefined;
    }
    if (watch.refused !== undefined) return;
    watch.sentRoot = this.#environment.distribution.root;
    if (!watch.inFlight && watch.ackedNonce !== '') watch.ackedRoot = watch.sentRoot;
  }

  #respond(watch: Watch): { bytes: number; flushed: Promise<void> } | undefined {
    const { distribution, clock, metrics } = this.#environment;
    const { context } = distribution;
    if (context === undefined || this.#proxy === undefined) return undefined;
    const startMs = clock.monotonicMs();
    const { generator } = watch;
    const set = distribution.resources.resourcesFor(generator, this.#proxy, watch.names);
    const selection =
      generator.mode === 'wildcard'
        ? { group: set, resources: set.resources, isNews: set.hash !== watch.sent?.hash }
        : this.#selectNamed(watch, set);
    const mustSend = watch.due === 'always' || (selection.isNews && set.hash !== watch.refused?.hash);
    const before = watch.sent;
    watch.due = 'no';
    if (!mustSend) {
      if (!selection.isNews) this.#upToDate(watch, set);
      return undefined;
    }
    watch.warming = undefined;
    watch.sent = set;
    const lease = distribution.responses.lease(
      {
        group: selection.group,
        typeUrl: generator.typeUrl,
        versionInfo: context.version,
        root: distribution.root,
        resources: selection.resources,
      },
      watch.sentNonce,
    );
    const { response } = lease;
    watch.inFlight = true;
    watch.sentNonce = response.nonce;
    watch.sentVersion = response.version;
    watch.sentRoot = distribution.root;
    watch.sentAt = clock.now();
    if (generator.typeUrl === TypeUrl.cluster && before !== undefined) this.#warmEndpoints(before, set);
    const type = shortTypeName(generator.typeUrl);
    const flushed = this.#send(type, response.bytes).finally(() => lease.release());
    metrics.pushed(type, (clock.monotonicMs() - startMs) / 1000);
    return { bytes: response.bytes.length, flushed };
  }

  #selectNamed(watch: Watch, set: ResourceSet) {
    // An explicit request gets everything it named; a push only what is new.
    if (watch.due === 'always') return { group: set, resources: set.resources, isNews: true };
    const selection = this.#environment.distribution.diffs.select(watch.sent, set, watch.warming);
    return { group: selection, resources: selection.resources, isNews: selection.resources.length > 0 };
  }

  /** A changed cluster stays out of use until its endpoints arrive once more, changed or not. */
  #warmEndpoints(before: ResourceSet, after: ResourceSet): void {
    const endpoints = this.#watches.get(TypeUrl.endpoint);
    if (endpoints?.sent === undefined) return;
    const { diffs } = this.#environment.distribution;
    // Two cluster pushes before one of endpoints: together they are the step from the first to the last.
    endpoints.warming = endpoints.warming === undefined ? diffs.diff(before, after) : diffs.diff(undefined, after);
    if (endpoints.due === 'no') endpoints.due = 'ifChanged';
  }

  async #send(type: string, bytes: Buffer): Promise<void> {
    const { clock, metrics, logger } = this.#environment;
    const cancelWarning = clock.schedule(WRITE_WARNING_MS, () => {
      metrics.writeTimedOut();
      logger.warn({ connection: this.#id, type, bytes: bytes.length }, 'Proxy does not read what it is sent');
    });
    const cancelLimit = clock.schedule(WRITE_LIMIT_MS, () => {
      this.end(
        new StreamError('DEADLINE_EXCEEDED', `a ${type} response was not read within ${WRITE_LIMIT_MS / 1000}s`),
      );
    });
    try {
      await this.#stream.send(bytes);
    } catch (cause) {
      if (!this.#ended) {
        metrics.sendFailed(type);
        logger.debug({ connection: this.#id, type, err: cause }, 'Stream ended while a response was being sent');
      }
    } finally {
      cancelWarning();
      cancelLimit();
    }
  }
}

function parseRequest(message: Uint8Array): RawDiscoveryRequest {
  try {
    return readDiscoveryRequest(message);
  } catch (cause) {
    throw new StreamError('INVALID_ARGUMENT', 'the message is not a DiscoveryRequest', { cause });
  }
}

/** No names at all, or just `*`. */
function isWildcard(encodedNames: Uint8Array): boolean {
  return encodedNames.length === 0 || (encodedNames.length === 3 && encodedNames[1] === 1 && encodedNames[2] === 0x2a);
}

/** The type that we serve in place of a v2 one; undefined when it is not a v2 type of ours. */
function v3TypeOf(typeUrl: string): string | undefined {
  const V2_PREFIX = 'type.googleapis.com/envoy.api.v2.';
  if (!typeUrl.startsWith(V2_PREFIX)) return undefined;
  const name = typeUrl.slice(V2_PREFIX.length);
  return Object.values(TypeUrl).find((v3) => v3.endsWith(`.${name}`));
}
