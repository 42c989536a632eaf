import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../base/clock.js';
import type { KindRegistry } from '../config/kinds.js';
import type { PushContext } from '../model/push-context.js';
import { nextPushContext } from '../model/snapshot/next-push-context.js';
import type { MeshStore } from '../model/store/mesh-store.js';
import type { GrpcService } from '../net/grpc-service.js';
import { ListenError } from '../net/listen-address.js';
import { createDistributionLedger, type DistributionLedger } from '../push/distribution-ledger.js';
import { createDistributor, type Distributor } from '../push/distributor.js';
import { createNameSets } from '../push/name-set.js';
import { createPushActivityLog, type PushActivityLog } from '../push/push-activity-log.js';
import { recordPushMetrics } from '../push/record-push-metrics.js';
import { createWorkRunner } from '../push/work-runner.js';
import type { Logging } from '../telemetry/logging.js';
import type { ChangeTracer } from '../tracing/change-tracer.js';
import { createRecentEvents } from '../xds/client-status/recent-events.js';
import { type Connections, createConnections } from '../xds/connections.js';
import { createDeltaMemory } from '../xds/delta/delta-memory.js';
import type { SessionHooks } from '../xds/discovery-calls.js';
import { createGrpcServer } from '../xds/grpc-server.js';
import { createPeers } from '../xds/limits/peers.js';
import { createLoadRecorder } from '../xds/load-reports/load-recorder.js';
import { readNode } from '../xds/node-wire.js';
import { createPeerReports } from '../xds/peer-reports.js';
import { createProxyReader } from '../xds/proxy-reader.js';
import type { ProxySession } from '../xds/proxy-session.js';
import type { SessionEnvironment } from '../xds/session-environment.js';
import {
  createApiGenerators,
  createGenerators,
  createProxylessGenerators,
  type GeneratorOptions,
} from './create-generators.js';
import { distributorSettings, grpcServerSettings, xdsLimits } from './map-options.js';
import type { ListenAddress, Options } from './options.js';
import type { ProcessParts } from './process-parts.js';
import { createRejectionLog, type RejectionLog } from './rejection-log.js';

/** Is told of every snapshot, before the first proxy is. */
export interface SnapshotObserver {
  observe(context: PushContext): void;
}

/** Is told of the sessions of proxies. */
export interface SessionObserver {
  /** The first request has named the proxy. */
  opened(session: ProxySession): void;
  /** The configuration that the proxy has acknowledged, or its rejection, has changed. */
  progressed?(session: ProxySession): void;
  closed(session: ProxySession): void;
}

/** The observers of proxies and their configuration, each list in the order in which they are told. */
export interface ProxyObservers {
  readonly snapshots: SnapshotObserver[];
  readonly sessions: SessionObserver[];
}

export interface ProxyServingParts {
  readonly options: Options;
  readonly process: Pick<ProcessParts, 'metrics' | 'encoder' | 'guard'>;
  readonly store: MeshStore;
  readonly kinds: KindRegistry;
  /** Whether statuses of objects are written into a cluster. */
  readonly hasCluster: boolean;
  /** Address and identity of the policy server in this process. */
  readonly policyServer: Pick<GeneratorOptions, 'embeddedPolicyPort' | 'policyServerIdentity'>;
  /** ControlPlane.identifier */
  readonly controlPlane: string;
  /** Further services of the plaintext listener. */
  readonly createServices: (session: SessionEnvironment) => readonly GrpcService[];
  /** Follows changes; undefined without a collector of traces. */
  readonly tracer: ChangeTracer | undefined;
  /** Filled before the start. */
  readonly observers: ProxyObservers;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** The configuration of proxies, its distribution, and the plaintext gRPC listener. */
export interface ProxyServing {
  readonly distributor: Distributor;
  readonly connections: Connections;
  readonly activity: PushActivityLog;
  readonly rejections: RejectionLog;
  /** Undefined while NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING is false. */
  readonly ledger: DistributionLedger | undefined;
  /** The sessions of the secured listener share these with the sessions of the plaintext listener. */
  readonly session: SessionEnvironment;
  readonly hooks: SessionHooks;
  /**
   * Opens the plaintext listener; undefined where --grpcAddr is empty.
   *
   * @throws ListenError
   */
  start(): Promise<ListenAddress | undefined>;
  /** Builds the first snapshot; proxies are served from now on. */
  setServing(): void;
  /** No more pushes begin. */
  stopPushes(): void;
  stop(graceMs: number): Promise<void>;
}

/** The status of objects in a cluster retains the states that proxies have, twice a second: no state may expire before. */
const STATUS_RETENTION_MS = 10_000;

export function createProxyServing(parts: ProxyServingParts): ProxyServing {
  const { options, process, store, observers, controlPlane, logging, clock } = parts;
  const { discovery, environment } = options;
  const logger = logging.scope('ads');
  const activity = createPushActivityLog(clock);
  const retentionMs = environment.navDistributionHistoryRetentionMs;
  const ledger = environment.navEnableConfigDistributionTracking
    ? createDistributionLedger(Math.max(retentionMs, parts.hasCluster ? STATUS_RETENTION_MS : 0))
    : undefined;
  const { tracer } = parts;
  const recorded = activity.observing(recordPushMetrics(process.metrics));
  const metrics = tracer?.observing(recorded) ?? recorded;
  const generatorOptions = {
    ...parts.policyServer,
    plugins: discovery.plugins,
    trustDomain: discovery.trustDomain,
  };
  const runner = createWorkRunner(clock);
  const distributor = createDistributor(distributorSettings(options, controlPlane), {
    generators: createGenerators(process.encoder, environment, generatorOptions),
    proxylessGenerators: createProxylessGenerators(process.encoder, environment, generatorOptions),
    objectGenerators: createApiGenerators(process.encoder, parts.kinds),
    ledger,
    metrics,
    activity,
    runner,
    clock,
    logger,
    nextContext: (previous, request) => {
      const buildMs = clock.monotonicMs();
      const context = nextPushContext(previous, store, clock.now());
      for (const observer of observers.snapshots) observer.observe(context);
      // The first snapshot is no change.
      if (previous !== undefined) tracer?.snapshotBuilt(request, context.version, buildMs);
      return context;
    },
  });
  const connections = createConnections(distributor, metrics, logger, clock);
  const limits = xdsLimits(environment, getHeapStatistics().heap_size_limit);
  const nameSets = createNameSets();
  const reports = createPeerReports(metrics, logger, clock);
  const rejections = createRejectionLog({ clock, ledger, distribution: () => distributor });
  const session: SessionEnvironment = {
    distribution: distributor,
    connections,
    events: createRecentEvents(clock),
    meshDomain: environment.meshDomain,
    loads: createLoadRecorder({
      ...{ metrics: process.metrics, logger, clock },
      intervalMs: environment.navLoadReportIntervalMs,
      maxSeries: limits.loadSeries,
      context: () => distributor.context,
      limitMet: () => metrics.limitMet('loadSeries'),
    }),
    nameSets,
    delta: createDeltaMemory(nameSets),
    metrics,
    logger,
    clock,
    runner,
    peers: createPeers(limits),
    limits,
    ...reports,
    rejected: rejections.observing(reports.rejected),
    readProxy: createProxyReader(readNode, environment.meshDomain, limits.nodeBytes),
    enqueue: (each) => distributor.enqueue(each),
    register: (each) => {
      connections.register(each);
      for (const observer of observers.sessions) observer.opened(each);
    },
    progressed: (each) => {
      for (const observer of observers.sessions) observer.progressed?.(each);
    },
    connectionId: (nodeId) => connections.nextId(nodeId),
  };
  const hooks: SessionHooks = {
    closed: (each) => {
      connections.closed(each);
      for (const observer of observers.sessions) observer.closed(each);
    },
  };
  const grpc = createGrpcServer(grpcServerSettings(options), session, hooks, logger, {
    guard: process.guard,
    services: parts.createServices(session),
  });

  return {
    distributor,
    connections,
    activity,
    rejections,
    ledger,
    session,
    hooks,
    start: async () => {
      const address = discovery.grpcAddr;
      if (address === undefined) return undefined;
      const port = await grpc.start().catch((cause: NodeJS.ErrnoException) => {
        throw new ListenError('--grpcAddr', address, cause);
      });
      return { host: address.host, port };
    },
    setServing: () => {
      distributor.start();
      grpc.setServing();
    },
    stopPushes: () => {
      distributor.stop();
      runner.stop();
    },
    stop: grpc.stop,
  };
}
