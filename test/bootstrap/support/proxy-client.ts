import { Client, type ClientDuplexStream, credentials, type ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { encodeNode, type NodeIdentity } from '../../../bench/wire/node-message.js';
import type { Json } from '../../../src/envoy/message-json.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { nameOfResource, readDiscoveryResponse } from '../../support/discovery-response.js';
import { eventually } from '../../support/eventually.js';
import { discoveryRequest } from '../../xds/session-rig.js';
import { assignmentOf, filtersIn, readJson, routesIn } from './resource-references.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const passThrough = (bytes: Buffer): Buffer => bytes;

/** Encoded resources by type URL and name. */
export type ProxyState = ReadonlyMap<string, ReadonlyMap<string, Buffer>>;

/** A proxy of the convergence test, whichever protocol it speaks. */
export interface TestProxy {
  readonly refuseNext: Set<string>;
  readonly refused: ReadonlySet<string>;
  readonly state: ProxyState;
  readonly isSettled: boolean;
  pause(): void;
  resume(): void;
  reconnect(): void;
  describe(): string;
  settled(): Promise<void>;
  close(): void;
}

interface Subscription {
  readonly resources: Map<string, Buffer>;
  /** Undefined until the type has been asked for. */
  names: readonly string[] | undefined;
  nonce: string;
  version: string;
  responses: number;
  /** What the last response carried. */
  lastNames: readonly string[];
}

/**
 * A proxy that takes state-of-the-world xDS as Envoy does: clusters and listeners are replaced as a whole, assignments,
 * route tables and filter configurations one by one; what clusters and listeners refer to is asked for; a changed cluster is not used before
 * its assignment has come once more; everything is acknowledged, unless told otherwise.
 */
export class ProxyClient implements TestProxy {
  readonly #node: Buffer;
  readonly #client: Client;
  #call: ClientDuplexStream<Buffer, Buffer>;
  #subscriptions = newSubscriptions();
  /** Names of assignments that changed clusters wait for. */
  #warming = new Set<string>();
  readonly #waiting: Buffer[] = [];
  #paused = false;
  /** Types of which the next response is refused. */
  readonly refuseNext = new Set<string>();
  /** Types of which a response was refused. */
  readonly refused = new Set<string>();
  error: ServiceError | undefined;

  constructor(port: number, node: NodeIdentity) {
    this.#node = encodeNode(node);
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.max_receive_message_length': -1,
    });
    this.#call = this.#open();
  }

  /** Messages are left unread and unanswered until resume(). */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    for (const message of this.#waiting.splice(0)) this.#receive(message);
  }

  /** Ends the stream and opens another; like Envoy, it keeps what it has and asks for everything again. */
  reconnect(): void {
    this.#call.cancel();
    this.#waiting.length = 0;
    this.#paused = false;
    for (const subscription of this.#subscriptions.values()) {
      subscription.nonce = '';
      subscription.responses = 0;
    }
    this.#call = this.#open();
  }

  /** Nothing that was asked for is missing, and no changed cluster waits for its assignment. */
  get isSettled(): boolean {
    return (
      this.#warming.size === 0 &&
      [...this.#subscriptions].every(
        ([typeUrl, { names, responses, resources }]) =>
          names?.every((name) => resources.has(name)) && (responses > 0 || !isWildcard(typeUrl)),
      )
    );
  }

  /** What isSettled misses, for error messages. */
  describe(): string {
    const missing = [...this.#subscriptions].flatMap(([typeUrl, { names, resources }]) =>
      names === undefined
        ? [`${typeUrl} was not asked for`]
        : names.filter((name) => !resources.has(name)).map((name) => `${typeUrl} ${name}`),
    );
    return [...missing, ...[...this.#warming].map((name) => `warming ${name}`), this.error?.message ?? ''].join(', ');
  }

  async settled(): Promise<void> {
    await eventually(`the proxy has all it asks for`, () => this.isSettled).catch((cause: Error) => {
      throw new Error(`${cause.message}: ${this.describe()}`);
    });
  }

  get state(): ProxyState {
    return new Map([...this.#subscriptions].map(([typeUrl, { resources }]) => [typeUrl, new Map(resources)]));
  }

  namesOf(typeUrl: string): readonly string[] {
    return [...(this.#subscriptions.get(typeUrl)?.resources.keys() ?? [])].sort();
  }

  resource(typeUrl: string, name: string): Json | undefined {
    const bytes = this.#subscriptions.get(typeUrl)?.resources.get(name);
    return bytes === undefined ? undefined : readJson(typeUrl, bytes);
  }

  /** Responses of the type since the stream was opened. */
  responsesOf(typeUrl: string): number {
    return this.#subscriptions.get(typeUrl)?.responses ?? 0;
  }

  /** Names of the resources that the last response of the type carried. */
  lastNames(typeUrl: string): readonly string[] {
    return this.#subscriptions.get(typeUrl)?.lastNames ?? [];
  }

  close(): void {
    this.#call.cancel();
    this.#client.close();
  }

  #open(): ClientDuplexStream<Buffer, Buffer> {
    const call: ClientDuplexStream<Buffer, Buffer> = this.#client.makeBidiStreamRequest(ADS, passThrough, passThrough);
    this.error = undefined;
    call.on('data', (message: Buffer) => {
      if (call !== this.#call) return;
      if (this.#paused) this.#waiting.push(message);
      else this.#receive(message);
    });
    call.on('error', (error: ServiceError) => {
      if (call === this.#call) this.error = error;
    });
    let node: Buffer | undefined = this.#node;
    for (const [typeUrl, subscription] of this.#subscriptions) {
      if (typeUrl === TypeUrl.cluster) subscription.names = [];
      if (subscription.names === undefined || (subscription.names.length === 0 && !isWildcard(typeUrl))) continue;
      call.write(Buffer.concat([nodeField(node), discoveryRequest({ typeUrl, names: subscription.names })]));
      node = undefined;
    }
    return call;
  }

  #request(typeUrl: string, error?: string): void {
    const { names = [], nonce, version } = this.#of(typeUrl);
    this.#call.write(discoveryRequest({ typeUrl, names, nonce, version, ...(error === undefined ? {} : { error }) }));
  }

  #of(typeUrl: string): Subscription {
    const subscription = this.#subscriptions.get(typeUrl);
    if (subscription === undefined) throw new Error(`a response of type ${typeUrl} was not asked for`);
    return subscription;
  }

  #receive(message: Buffer): void {
    const { typeUrl, version, nonce, resources } = readResponse(message);
    const subscription = this.#of(typeUrl);
    subscription.nonce = nonce;
    subscription.responses++;
    subscription.lastNames = [...resources.keys()];
    if (this.refuseNext.delete(typeUrl)) {
      this.refused.add(typeUrl);
      this.#request(typeUrl, 'refused by the test');
      return;
    }
    subscription.version = version;
    if (typeUrl === TypeUrl.cluster) this.#takeClusters(subscription, resources);
    else if (typeUrl === TypeUrl.listener) this.#takeListeners(subscription, resources);
    else this.#takeNamed(typeUrl, subscription, resources);
  }

  #takeClusters(subscription: Subscription, clusters: ReadonlyMap<string, Buffer>): void {
    const assignments = new Set<string>();
    let renewed = false;
    for (const [name, bytes] of clusters) {
      const assignment = assignmentOf(readJson(TypeUrl.cluster, bytes));
      if (assignment === undefined) continue;
      assignments.add(assignment);
      if (subscription.resources.get(name)?.equals(bytes)) continue;
      this.#warming.add(assignment);
      renewed = true;
    }
    for (const name of this.#warming) if (!assignments.has(name)) this.#warming.delete(name);
    replace(subscription.resources, clusters);
    this.#request(TypeUrl.cluster);
    this.#subscribe(TypeUrl.endpoint, [...assignments].sort(), renewed);
    this.#followStart();
  }

  #takeListeners(subscription: Subscription, listeners: ReadonlyMap<string, Buffer>): void {
    replace(subscription.resources, listeners);
    this.#request(TypeUrl.listener);
    const routes = new Set<string>();
    const filters = new Set<string>();
    for (const bytes of listeners.values()) {
      const listener = readJson(TypeUrl.listener, bytes);
      routesIn(listener, routes);
      filtersIn(listener, filters);
    }
    this.#subscribe(TypeUrl.extensionConfig, [...filters].sort(), false);
    this.#subscribe(TypeUrl.route, [...routes].sort(), false);
  }

  #takeNamed(typeUrl: string, subscription: Subscription, resources: ReadonlyMap<string, Buffer>): void {
    for (const [name, bytes] of resources) {
      if (subscription.names?.includes(name) !== true) continue;
      subscription.resources.set(name, bytes);
      if (typeUrl === TypeUrl.endpoint) this.#warming.delete(name);
    }
    this.#request(typeUrl);
    this.#followStart();
  }

  /** Listeners are asked for once the first clusters are warm. */
  #followStart(): void {
    const listeners = this.#of(TypeUrl.listener);
    if (this.#warming.size > 0 || listeners.names !== undefined) return;
    listeners.names = [];
    this.#request(TypeUrl.listener);
  }

  #subscribe(typeUrl: string, names: readonly string[], again: boolean): void {
    const subscription = this.#of(typeUrl);
    const same = subscription.names?.join('\n') === names.join('\n');
    const nothingYet = subscription.names === undefined && names.length === 0;
    subscription.names = names;
    for (const name of subscription.resources.keys()) if (!names.includes(name)) subscription.resources.delete(name);
    if (nothingYet || (same && !again)) return;
    this.#request(typeUrl);
  }
}

/** Everything of the type is wanted, without names. */
function isWildcard(typeUrl: string): boolean {
  return typeUrl === TypeUrl.cluster || typeUrl === TypeUrl.listener;
}

function newSubscriptions(): Map<string, Subscription> {
  return new Map(
    [TypeUrl.cluster, TypeUrl.endpoint, TypeUrl.listener, TypeUrl.extensionConfig, TypeUrl.route].map((typeUrl) => [
      typeUrl,
      { resources: new Map(), names: undefined, nonce: '', version: '', responses: 0, lastNames: [] },
    ]),
  );
}

function nodeField(node: Buffer | undefined): Uint8Array {
  return node === undefined ? Buffer.alloc(0) : protobuf.Writer.create().uint32(0x12).bytes(node).finish();
}

function replace(target: Map<string, Buffer>, source: ReadonlyMap<string, Buffer>): void {
  target.clear();
  for (const [name, bytes] of source) target.set(name, bytes);
}

interface Response {
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  /** By name; of clusters, assignments, listeners and route tables it is in field 1. */
  readonly resources: ReadonlyMap<string, Buffer>;
}

function readResponse(message: Buffer): Response {
  const { typeUrl, version, nonce, resources } = readDiscoveryResponse(message);
  const byName = new Map<string, Buffer>();
  for (const resource of resources) {
    const name = nameOfResource(resource);
    if (byName.has(name)) throw new Error(`the response has ${name} twice`);
    byName.set(name, resource);
  }
  return { typeUrl, version, nonce, resources: byName };
}
