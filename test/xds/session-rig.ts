import protobuf from 'protobufjs';
import { systemClock } from '../../src/base/clock.js';
import { frameResource } from '../../src/envoy/message-encoder.js';
import { compareNames } from '../../src/envoy/resource-set.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { askedNameOf, tableOfVirtualHost, virtualHostName } from '../../src/envoy/virtual-host-names.js';
import type { WireMessage } from '../../src/envoy/wire-message.js';
import type {
  GroupedGenerator,
  NamedGenerator,
  ResourceGenerator,
  WildcardGenerator,
} from '../../src/generators/generator.js';
import type { Proxy } from '../../src/model/proxy.js';
import type { PushContext } from '../../src/model/push-context.js';
import { createDistributionLedger } from '../../src/push/distribution-ledger.js';
import { createDistributor, type Distributor } from '../../src/push/distributor.js';
import { createNameSets } from '../../src/push/name-set.js';
import type { PushMetrics } from '../../src/push/push-metrics.js';
import { createWorkRunner } from '../../src/push/work-runner.js';
import { createRecentEvents } from '../../src/xds/client-status/recent-events.js';
import type { Connections } from '../../src/xds/connections.js';
import { createDeltaMemory } from '../../src/xds/delta/delta-memory.js';
import type { DiscoveryStream } from '../../src/xds/discovery-stream.js';
import { createPeers } from '../../src/xds/limits/peers.js';
import type { XdsLimits } from '../../src/xds/limits/xds-limits.js';
import { createPeerReports } from '../../src/xds/peer-reports.js';
import type { ProxySession } from '../../src/xds/proxy-session.js';
import type { SessionEnvironment } from '../../src/xds/session-environment.js';
import type { StreamError } from '../../src/xds/stream-error.js';
import { readDiscoveryResponse } from '../support/discovery-response.js';
import { createFakeClock, type FakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { createDefaultContext } from './default-context.js';

/** The content that the rig's generators serve: names and bodies by type. Tests change it and push. */
export interface RigContent {
  clusters: Record<string, string>;
  endpoints: Record<string, string>;
  routes: Record<string, string>;
  /** By route table: virtual hosts and their bodies. */
  hosts: Record<string, Record<string, string>>;
  extensions: Record<string, string>;
  /** What the scope of clusters says of a proxy, such as its own services. */
  clusterScope: string;
  /** Clusters that on-demand proxies get without asking. Undefined: proxies get all clusters. */
  onDemand: readonly string[] | undefined;
}

export interface Rig {
  readonly content: RigContent;
  readonly clock: FakeClock;
  readonly distributor: Distributor;
  readonly environment: SessionEnvironment;
  readonly counts: Record<string, number>;
  readonly logger: ReturnType<typeof createRecordingLogger>;
  readonly sessions: Set<ProxySession>;
  /** The same sessions, as statuses find them. */
  readonly states: Pick<Connections, 'ids' | 'list' | 'find'>;
}

/** Limits that no test meets by chance. */
export const LIMITS: XdsLimits = {
  names: 100_000,
  streamNames: 200_000,
  peerBytes: 1 << 28,
  totalBytes: 1 << 29,
  peerStreams: 10_000,
  connectionStreams: 10_000,
  unreadStreams: 500,
  firstRequestMs: 30_000,
  ackMs: 15_000,
  requestsPerSecond: 10_000,
  nodeBytes: 524_288,
  restPolls: 1_000,
  restBodyBytes: 1 << 26,
  clientStatusBytes: 1 << 24,
  loadSeries: 1_000,
};

export interface RigOptions {
  /** Default true. */
  readonly started?: boolean;
  readonly controlPlane?: string;
  readonly limits?: Partial<XdsLimits>;
  /** Whether long work pauses by the real clock. Default false. */
  readonly isSliced?: boolean;
  /** Version of the Envoy of every proxy. Default `1.40.0`. */
  readonly envoyVersion?: string;
  /** Whether proxies of delta streams learn on demand. Default false. */
  readonly onDemand?: boolean;
  /** Makes the bytes of a resource. Default: `name=body`. */
  readonly encodeBody?: (typeUrl: string, name: string, body: string) => Uint8Array;
  /** Wraps the generators. */
  readonly wrap?: (generators: readonly ResourceGenerator[]) => readonly ResourceGenerator[];
  /** Whether services and types show the states of proxies. Default false. */
  readonly showsStates?: boolean;
  /** Of clients that get configuration objects. Default: none. */
  readonly objectGenerators?: readonly ResourceGenerator[];
  /** Default: a snapshot of an empty mesh. */
  readonly nextContext?: () => PushContext;
}

/** A push room with small generators: clusters for all proxies; endpoints, routes and filter configurations by name. */
export function createRig(options: RigOptions = {}): Rig {
  const { encodeBody = (_typeUrl, name, body) => Buffer.from(`${name}=${body}`) } = options;
  const content: RigContent = {
    clusters: { a: '1', b: '1' },
    endpoints: { a: '1', b: '1' },
    routes: { a: '1', b: '1' },
    hosts: {},
    extensions: { a: '1', b: '1' },
    clusterScope: 'ns',
    onDemand: undefined,
  };
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const counts: Record<string, number> = {};
  const count =
    (name: string) =>
    (...labels: unknown[]): void => {
      const key = [name, ...labels.filter((label) => typeof label === 'string')].join(' ');
      counts[key] = (counts[key] ?? 0) + 1;
    };
  const metrics = Object.fromEntries(
    [
      ...['triggered', 'contextError', 'queued', 'converged', 'pushed', 'sendFailed', 'writeTimedOut', 'rejected'],
      ...['nonceExpired', 'unacknowledged', 'connected', 'disconnected', 'internalError', 'limitMet'],
      'patchesWithheld',
    ].map((name) => [name, count(name)]),
  ) as unknown as PushMetrics;
  const { wrap = (all) => all } = options;
  const all = wrap([
    clusterGenerator(content, encodeBody),
    namedGenerator(TypeUrl.endpoint, () => content.endpoints, encodeBody),
    namedGenerator(TypeUrl.route, () => content.routes, encodeBody),
    virtualHostGenerator(content, encodeBody, options.onDemand ?? false),
    namedGenerator(TypeUrl.extensionConfig, () => content.extensions, encodeBody),
  ]);
  const generators = new Map(all.map((generator) => [generator.typeUrl, generator]));
  let sequence = 0;
  const distributor = createDistributor(
    {
      debounce: { afterMs: 0, maxMs: 0, debounceEndpoints: true },
      queue: { throttle: 100, byteBudget: 64 << 20, stallMs: 200 },
      controlPlane: options.controlPlane ?? 'test',
    },
    {
      generators,
      objectGenerators: new Map(options.objectGenerators?.map((generator) => [generator.typeUrl, generator])),
      ledger: createDistributionLedger(60_000),
      metrics,
      clock,
      logger,
      nextContext: options.nextContext ?? (() => createDefaultContext(++sequence)),
    },
  );
  if (options.started !== false) distributor.start();
  const sessions = new Set<ProxySession>();
  let connections = 0;
  const limits = { ...LIMITS, ...options.limits };
  const nameSets = createNameSets();
  const states = {
    list: () => [...sessions].flatMap((session) => session.snapshot() ?? []),
    ids: () => [...sessions].map(({ id }) => id),
    find: (id: string) => [...sessions].find((session) => session.id === id),
  };
  const environment: SessionEnvironment = {
    distribution: distributor,
    ...(options.showsStates === true ? { connections: states, events: createRecentEvents(clock) } : {}),
    nameSets,
    delta: createDeltaMemory(nameSets),
    metrics,
    logger,
    clock,
    runner: createWorkRunner(options.isSliced === true ? systemClock : clock),
    peers: createPeers(limits),
    limits,
    ...createPeerReports(metrics, logger, clock),
    readProxy: (node) => ({
      ...proxyOf(Buffer.from(node.subarray(2)).toString()),
      version: options.envoyVersion ?? '1.40.0',
      ...(options.onDemand === true ? { metadata: { ...proxyOf('').metadata, onDemand: true } } : {}),
    }),
    enqueue: (session) => distributor.enqueue(session),
    progressed: () => count('progressed')(),
    register: (session) => {
      sessions.add(session);
      distributor.add(session);
    },
    connectionId: (nodeId) => `${nodeId}-${++connections}`,
  };
  return { content, clock, distributor, environment, counts, logger, sessions, states };
}

export function proxyOf(id: string): Proxy {
  return {
    id,
    type: 'sidecar',
    ipAddresses: ['10.0.0.1'],
    name: 'pod',
    configNamespace: 'ns',
    dnsDomain: 'ns.svc.cluster.local',
    locality: '',
    version: '',
    metadata: { labels: {}, instanceIps: [], interceptionMode: 'REDIRECT', requestedNetworkView: [] },
    hasSecrets: false,
  };
}

type EncodeBody = NonNullable<RigOptions['encodeBody']>;

function clusterGenerator(content: RigContent, encodeBody: EncodeBody): WildcardGenerator {
  const resources = () =>
    Object.entries(content.clusters)
      .map(([name, body]) => frameResource(TypeUrl.cluster, name, encodeBody(TypeUrl.cluster, name, body)))
      .sort(compareNames);
  return {
    typeUrl: TypeUrl.cluster,
    mode: 'wildcard',
    affectedBy: (request) => request.full,
    parts: [
      {
        name: 'all',
        scope: () => ({ key: content.clusterScope }),
        generate: () => ({ resources: resources(), findings: [] }),
        neededNames: () => content.onDemand,
      },
    ],
  };
}

function namedGenerator(
  typeUrl: string,
  bodies: () => Readonly<Record<string, string>>,
  encodeBody: EncodeBody,
): NamedGenerator {
  const isEndpoint = typeUrl === TypeUrl.endpoint;
  return {
    typeUrl,
    mode: 'named',
    affectedBy: (request) => request.changed === 'everything' || (isEndpoint && request.endpoints.size > 0),
    scope: () => ({ key: '' }),
    generate: (_context, _scope, name) => {
      const body = bodies()[name];
      return body === undefined ? undefined : frameResource(typeUrl, name, encodeBody(typeUrl, name, body));
    },
  };
}

function virtualHostGenerator(content: RigContent, encodeBody: EncodeBody, onDemand: boolean): GroupedGenerator {
  const typeUrl = TypeUrl.virtualHost;
  return {
    typeUrl,
    mode: 'grouped',
    affectedBy: (request) => request.changed === 'everything',
    scope: () => ({ key: '' }),
    generate: (_context, _scope, group) => {
      const asked = askedNameOf(group);
      const table = asked === undefined ? group : tableOfVirtualHost(asked);
      const all = Object.entries(content.hosts[table] ?? {}).map(([host, body]) => {
        const name = virtualHostName(table, host);
        return frameResource(typeUrl, name, encodeBody(typeUrl, name, body));
      });
      if (asked !== undefined) return all.filter(({ name }) => name === asked);
      return onDemand ? [] : all;
    },
  };
}

/** A stream that keeps what it is sent; `stall` makes it never flush. */
export interface ProbeStream extends DiscoveryStream {
  readonly sent: WireMessage[];
  stall: boolean;
  ended: { error: StreamError | undefined } | undefined;
}

export function createProbeStream(): ProbeStream {
  return {
    peer: '127.0.0.1:1',
    sent: [],
    stall: false,
    ended: undefined,
    send(message, done) {
      this.sent.push(message);
      if (!this.stall) queueMicrotask(done);
    },
    end(error) {
      this.ended = { error };
    },
  };
}

export interface RequestFields {
  readonly node?: string;
  readonly typeUrl?: string;
  readonly nonce?: string;
  readonly version?: string;
  readonly names?: readonly string[];
  readonly error?: string;
}

/** Encodes a DiscoveryRequest. */
export function discoveryRequest(fields: RequestFields): Buffer {
  const writer = protobuf.Writer.create();
  if (fields.version !== undefined) writer.uint32(0x0a).string(fields.version);
  if (fields.node !== undefined) writer.uint32(0x12).fork().uint32(0x0a).string(fields.node).ldelim();
  for (const name of fields.names ?? []) writer.uint32(0x1a).string(name);
  if (fields.typeUrl !== undefined) writer.uint32(0x22).string(fields.typeUrl);
  if (fields.nonce !== undefined) writer.uint32(0x2a).string(fields.nonce);
  if (fields.error !== undefined)
    writer.uint32(0x32).fork().uint32(0x08).int32(13).uint32(0x12).string(fields.error).ldelim();
  return writer.finish() as Buffer;
}

export interface ReadResponse {
  readonly version: string;
  readonly typeUrl: string;
  readonly nonce: string;
  /** Bodies of the rig's resources, `name=body`. */
  readonly bodies: readonly string[];
}

/** The bytes of a message as one. */
export function bytesOf(message: WireMessage): Buffer {
  return Buffer.concat(message.pieces, message.byteLength);
}

/** Decodes a DiscoveryResponse of the rig. */
export function readResponse(bytes: Uint8Array): ReadResponse {
  const { version, typeUrl, nonce, resources } = readDiscoveryResponse(bytes);
  return { version, typeUrl, nonce, bodies: resources.map(String) };
}
