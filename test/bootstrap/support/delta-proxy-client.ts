import { Client, type ClientDuplexStream, credentials, type ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { encodeNode, type NodeIdentity } from '../../../bench/wire/node-message.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { eventually } from '../../support/eventually.js';
import {
  type DeltaRequestFields,
  type DeltaResource,
  deltaRequest,
  readDeltaResponse,
} from '../../xds/delta/delta-messages.js';
import type { ProxyState, TestProxy } from './proxy-client.js';
import { assignmentOf, filtersIn, readJson, routesIn } from './resource-references.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';
const WILDCARDS: readonly string[] = [TypeUrl.cluster, TypeUrl.listener];
/** What is not asked for is not taken, for it may answer a request from before the name was given up. */
const NAMED: readonly string[] = [TypeUrl.endpoint, TypeUrl.route, TypeUrl.extensionConfig];
const TYPES = [
  TypeUrl.cluster,
  TypeUrl.endpoint,
  TypeUrl.listener,
  TypeUrl.extensionConfig,
  TypeUrl.route,
  TypeUrl.virtualHost,
] as const;
const passThrough = (bytes: Buffer): Buffer => bytes;

/** What the workload of a sidecar on demand calls. */
export interface Demand {
  readonly clusters: readonly string[];
  /** Hosts that are asked for in each route table. */
  readonly hosts: readonly string[];
}

interface Held {
  readonly body: Buffer;
  readonly version: string;
}

interface Subscription {
  readonly held: Map<string, Held>;
  /** Names that were asked for, or that the answer said do not exist. */
  readonly names: Set<string>;
  readonly answered: Set<string>;
  /** Whether this stream has asked for the type. */
  isAsked: boolean;
  responses: number;
}

/**
 * A sidecar that takes delta xDS as Envoy does, with virtual hosts one by one; on demand it asks for what its workload
 * calls. It checks what holds for each response: no name twice, and none that is also removed.
 */
export class DeltaProxyClient implements TestProxy {
  readonly #node: Buffer;
  readonly #demand: Demand | undefined;
  readonly #client: Client;
  #subscriptions = new Map<string, Subscription>(
    TYPES.map((typeUrl) => [
      typeUrl,
      { held: new Map(), names: new Set(), answered: new Set(), isAsked: false, responses: 0 },
    ]),
  );
  #call: ClientDuplexStream<Buffer, Buffer>;
  readonly #waiting: Buffer[] = [];
  #paused = false;
  readonly refuseNext = new Set<string>();
  readonly refused = new Set<string>();
  error: Error | undefined;

  constructor(port: number, node: NodeIdentity, demand?: Demand) {
    this.#node = encodeNode(node);
    this.#demand = demand;
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.max_receive_message_length': -1,
    });
    this.#call = this.#open();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    for (const message of this.#waiting.splice(0)) this.#receive(message);
  }

  /** Ends the stream and opens another, which is told what the proxy has. */
  reconnect(): void {
    this.#call.cancel();
    this.#waiting.length = 0;
    this.#paused = false;
    for (const subscription of this.#subscriptions.values()) {
      subscription.isAsked = false;
      subscription.responses = 0;
      // What the proxy has is not sent again while it is still the same.
      for (const name of subscription.answered) if (!subscription.held.has(name)) subscription.answered.delete(name);
    }
    this.#call = this.#open();
  }

  get isSettled(): boolean {
    return this.error === undefined && this.describe() === '';
  }

  describe(): string {
    const missing = [...this.#subscriptions].flatMap(([typeUrl, { names, held, answered, responses, isAsked }]) => {
      if (!isAsked) return WILDCARDS.includes(typeUrl) ? [`${typeUrl} was not asked for`] : [];
      // A proxy that reconnects with what it should have gets no answer.
      const isAnswered = responses > 0 || held.size > 0;
      if (!isAnswered && (WILDCARDS.includes(typeUrl) || names.size > 0)) return [`${typeUrl} has no answer`];
      return [...names].filter((name) => name !== '*' && !answered.has(name)).map((name) => `${typeUrl} ${name}`);
    });
    return [...missing, ...(this.error === undefined ? [] : [this.error.message])].join(', ');
  }

  async settled(): Promise<void> {
    await eventually('the delta proxy has all it asks for', () => this.isSettled).catch((cause: Error) => {
      throw new Error(`${cause.message}: ${this.describe()}`);
    });
  }

  get state(): ProxyState {
    return new Map(
      [...this.#subscriptions].map(([typeUrl, { held }]) => [
        typeUrl,
        new Map(Array.from(held, ([name, { body }]) => [name, body])),
      ]),
    );
  }

  close(): void {
    this.#call.cancel();
    this.#client.close();
  }

  #open(): ClientDuplexStream<Buffer, Buffer> {
    const call: ClientDuplexStream<Buffer, Buffer> = this.#client.makeBidiStreamRequest(ADS, passThrough, passThrough);
    this.#call = call;
    this.error = undefined;
    call.on('data', (message: Buffer) => {
      if (call !== this.#call) return;
      if (this.#paused) this.#waiting.push(message);
      else this.#receive(message);
    });
    call.on('error', (error: ServiceError) => {
      if (call === this.#call) this.error ??= error;
    });
    call.write(Buffer.concat([nodeField(this.#node), this.#firstRequest(TypeUrl.cluster)]));
    for (const typeUrl of TYPES.slice(1)) {
      const { names, held } = this.#of(typeUrl);
      const isVirtualHost = typeUrl === TypeUrl.virtualHost && this.#hasSplitTable();
      if (names.size > 0 || held.size > 0 || isVirtualHost) call.write(this.#firstRequest(typeUrl));
    }
    return call;
  }

  /** What the proxy wants and has of a type. A wildcard goes without a name, unless there are names beside it. */
  #firstRequest(typeUrl: string): Buffer {
    const subscription = this.#of(typeUrl);
    subscription.isAsked = true;
    if (typeUrl === TypeUrl.cluster) for (const name of this.#demand?.clusters ?? []) subscription.names.add(name);
    const isWildcard = WILDCARDS.includes(typeUrl);
    const names = [...subscription.names];
    return deltaRequest({
      typeUrl,
      subscribe: isWildcard && names.length > 0 ? ['*', ...names] : names,
      versions: Object.fromEntries(Array.from(subscription.held, ([name, { version }]) => [name, version])),
    });
  }

  #of(typeUrl: string): Subscription {
    const subscription = this.#subscriptions.get(typeUrl);
    if (subscription === undefined) throw new Error(`a response of type ${typeUrl} was not asked for`);
    return subscription;
  }

  #send(typeUrl: string, fields: DeltaRequestFields): void {
    this.#call.write(deltaRequest({ typeUrl, ...fields }));
  }

  #receive(message: Buffer): void {
    const { typeUrl, nonce, resources, removed } = readDeltaResponse(message);
    const subscription = this.#of(typeUrl);
    const told = [...resources.map(({ name }) => name), ...removed];
    if (new Set(told).size !== told.length) this.error = new Error(`a response of ${typeUrl} has a name twice`);
    subscription.responses++;
    if (this.refuseNext.delete(typeUrl)) {
      this.refused.add(typeUrl);
      this.#send(typeUrl, { nonce, error: 'refused by the test' });
      return;
    }
    for (const resource of resources) {
      if (!NAMED.includes(typeUrl) || subscription.names.has(resource.name)) take(subscription, resource);
    }
    for (const name of removed) {
      subscription.held.delete(name);
      subscription.answered.add(name);
    }
    this.#send(typeUrl, { nonce });
    this.#follow(typeUrl, subscription);
  }

  /** Asks for what the resources of a type refer to. */
  #follow(typeUrl: string, { held }: Subscription): void {
    if (typeUrl === TypeUrl.cluster) {
      const clusters = [...held.values()].map(({ body }) => readJson(TypeUrl.cluster, body));
      this.#subscribe(TypeUrl.endpoint, new Set(clusters.flatMap((cluster) => assignmentOf(cluster) ?? [])));
      if (!this.#of(TypeUrl.listener).isAsked) this.#call.write(this.#firstRequest(TypeUrl.listener));
    }
    if (typeUrl === TypeUrl.listener) {
      const listeners = [...held.values()].map(({ body }) => readJson(TypeUrl.listener, body));
      this.#subscribe(TypeUrl.extensionConfig, new Set(listeners.flatMap((listener) => [...filtersIn(listener)])));
      const tables = new Set(listeners.flatMap((listener) => [...routesIn(listener)]));
      this.#subscribe(TypeUrl.route, tables);
      this.#forgetVirtualHosts(tables);
    }
    if (typeUrl === TypeUrl.route) this.#followTables(held);
  }

  #followTables(tables: ReadonlyMap<string, Held>): void {
    const virtualHosts = this.#of(TypeUrl.virtualHost);
    if (!this.#hasSplitTable()) return;
    if (!virtualHosts.isAsked) this.#call.write(this.#firstRequest(TypeUrl.virtualHost));
    const hosts = this.#demand?.hosts ?? [];
    const split = [...tables].filter(([, { body }]) => isSplit(body)).map(([table]) => table);
    const wanted = new Set(split.flatMap((table) => hosts.map((host) => `${table}/${host}`)));
    this.#subscribe(TypeUrl.virtualHost, wanted);
  }

  /** Envoy forgets the virtual hosts of a table together with the table. */
  #forgetVirtualHosts(tables: ReadonlySet<string>): void {
    const { held, names } = this.#of(TypeUrl.virtualHost);
    const isGone = (name: string): boolean => !tables.has(name.slice(0, name.lastIndexOf('/')));
    for (const name of held.keys()) if (isGone(name)) held.delete(name);
    const kept = new Set([...names].filter((name) => !isGone(name)));
    if (kept.size !== names.size) this.#subscribe(TypeUrl.virtualHost, kept);
  }

  #hasSplitTable(): boolean {
    return [...this.#of(TypeUrl.route).held.values()].some(({ body }) => isSplit(body));
  }

  #subscribe(typeUrl: string, wanted: ReadonlySet<string>): void {
    const subscription = this.#of(typeUrl);
    const subscribe = [...wanted].filter((name) => !subscription.names.has(name));
    const unsubscribe = [...subscription.names].filter((name) => !wanted.has(name));
    for (const name of subscribe) subscription.names.add(name);
    for (const name of unsubscribe) {
      subscription.names.delete(name);
      subscription.held.delete(name);
      subscription.answered.delete(name);
    }
    if (subscribe.length === 0 && unsubscribe.length === 0) return;
    subscription.isAsked = true;
    this.#send(typeUrl, { subscribe, unsubscribe });
  }
}

/** A resource without a body is an answer all the same: there is nothing of that name. */
function take({ held, answered }: Subscription, { name, version, typeUrl, body }: DeltaResource): void {
  answered.add(name);
  if (typeUrl === '') held.delete(name);
  else held.set(name, { body, version });
}

function isSplit(table: Buffer): boolean {
  const json = readJson(TypeUrl.route, table);
  return typeof json === 'object' && json !== null && 'vhds' in json;
}

function nodeField(node: Buffer): Uint8Array {
  return protobuf.Writer.create().uint32(0x0a).bytes(node).finish();
}
