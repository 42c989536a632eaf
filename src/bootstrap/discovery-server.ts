import { getHeapStatistics } from 'node:v8';
import { Registry } from 'prom-client';
import type { Clock } from '../base/clock.js';
import { createKindRegistry } from '../config/kinds.js';
import { discoveryHostOf } from '../config/mesh/discovery-host.js';
import { createDefaultMeshConfig } from '../config/mesh/read-mesh-config.js';
import { createDefaultMeshNetworks } from '../config/mesh/read-mesh-networks.js';
import { createMessageEncoder } from '../envoy/message-encoder.js';
import { createMessageJson } from '../envoy/message-json.js';
import { loadProtoRegistry } from '../envoy/proto-registry.js';
import type { ConfigProblem } from '../introspection/views.js';
import { createServicePolicies } from '../model/policy/service-policies.js';
import type { PushContext } from '../model/push-context.js';
import { nextPushContext } from '../model/snapshot/next-push-context.js';
import { createMeshStore } from '../model/store/mesh-store.js';
import { formatListenAddress, ListenError } from '../net/listen-address.js';
import { createMeshOwners } from '../policy/server/callers/mesh-owners.js';
import { createReplicaWatch } from '../policy/server/replicas/replica-watch.js';
import { createDistributionLedger } from '../push/distribution-ledger.js';
import { createDistributor } from '../push/distributor.js';
import { createNameSets } from '../push/name-set.js';
import { createPendingPodRecorder } from '../push/record-pending-pods.js';
import { recordPushMetrics } from '../push/record-push-metrics.js';
import { createWorkRunner } from '../push/work-runner.js';
import type { Enforcement } from '../status/analysis/analysis-input.js';
import type { AnalysisMessage } from '../status/analysis/analysis-message.js';
import { createAnalysisWatch, NO_ANALYSIS } from '../status/analysis-watch.js';
import { hasMemoryCounters } from '../status/distribution/connected-clients.js';
import { readBuildInfo } from '../telemetry/build-info.js';
import type { Logging } from '../telemetry/logging.js';
import { createMetrics, recordStart } from '../telemetry/metrics.js';
import { createConnections } from '../xds/connections.js';
import type { SessionHooks } from '../xds/discovery-calls.js';
import { createGrpcServer } from '../xds/grpc-server.js';
import { createPeers } from '../xds/limits/peers.js';
import { readNode } from '../xds/node-wire.js';
import { createPeerReports } from '../xds/peer-reports.js';
import { createProxyReader } from '../xds/proxy-reader.js';
import type { ProxySession } from '../xds/proxy-session.js';
import type { SessionEnvironment } from '../xds/session-environment.js';
import { createClusterConnection } from './cluster-connection.js';
import { controlPlaneIdentity } from './control-plane-identity.js';
import { createGenerators } from './create-generators.js';
import { createHttpServers } from './create-http-servers.js';
import { createSources } from './create-sources.js';
import { createViews } from './create-views.js';
import { createDrain } from './drain.js';
import { createProcessGuard } from './grpc-guard.js';
import { routeGrpcLog } from './grpc-log.js';
import {
  distributorSettings,
  grpcServerSettings,
  policyListenerSettings,
  statusSettings,
  storeSettings,
} from './map-options.js';
import { createMountedFrom } from './mounted-settings.js';
import type { ListenAddress, Options } from './options.js';
import { createPolicyRuntime } from './policy/policy-runtime.js';
import { policyTlsMode } from './policy/policy-tls-mode.js';
import { readsCluster, userAgentOf } from './read-cluster.js';
import { regexLimitsOf } from './regex-limits-of.js';
import { createSettingsKeeper } from './settings-keeper.js';
import { StartError } from './start-error.js';
import { createStatus } from './status/create-status.js';
import { createTrustRuntime } from './trust/create-trust-runtime.js';
import { ownTrustDomains } from './trust/own-trust-domains.js';
import { CONTROL_PLANE_ACCOUNT, createPolicyCredentials } from './trust/policy-credentials.js';
import { xdsLimits } from './xds-limits.js';

/** Where a running server listens, with the ports that the system chose for port 0. */
export interface ServedAddresses {
  /** Undefined where --grpcAddr is empty. */
  readonly grpc: ListenAddress | undefined;
  readonly http: ListenAddress;
  readonly monitoring: ListenAddress;
  readonly policy: ListenAddress;
  /** Undefined where nothing is served over TLS. */
  readonly secureGrpc: ListenAddress | undefined;
  /** Undefined where no cluster is read, so that no API server asks. */
  readonly https: ListenAddress | undefined;
}

/** The whole server, wired and not yet running. */
export interface DiscoveryServer {
  /**
   * Reads the sources, then serves. Settles when everything is served.
   *
   * @throws StartError when a source cannot be read at all, ListenError when an address cannot be had.
   */
  start(): Promise<ServedAddresses>;
  /** Serves on and is not ready, until callers have gone elsewhere (--drainTime); `stop` ends it. */
  drain(): Promise<void>;
  /** Ends streams well and closes everything; harmless during the start, which then fails, and without one. */
  stop(): Promise<void>;
}

/** Is told of every snapshot before the first proxy is. */
interface SnapshotObserver {
  observe(context: PushContext): void;
}

/** Is told of the sessions of proxies. */
interface SessionObserver {
  /** The proxy has said in its first request which one it is. */
  opened(session: ProxySession): void;
  /** What the proxy is known to have, or has rejected, has changed. */
  progressed?(session: ProxySession): void;
  closed(session: ProxySession): void;
}

/** The status of objects in a cluster retains the states that proxies have, twice a second: no state may expire before. */
const STATUS_RETENTION_MS = 10_000;

/** Streams get this long to end by themselves (BEHAVIOUR 2, "Shutdown"). */
const STOP_GRACE_MS = 10_000;

/** The composition root: the only place that wires the rooms to one another (DESIGN section 3). */
export function createDiscoveryServer(options: Options, logging: Logging, clock: Clock): DiscoveryServer {
  const { discovery, environment } = options;
  const logger = logging.scope('default');
  routeGrpcLog(logging);

  const registry = new Registry();
  const metrics = createMetrics(registry);
  const build = readBuildInfo();
  recordStart(metrics, registry, build);
  const pushMetrics = recordPushMetrics(metrics);

  const protos = loadProtoRegistry();
  const kinds = createKindRegistry(environment.meshDomain, regexLimitsOf(environment));
  const store = createMeshStore(storeSettings(options), {
    mesh: createDefaultMeshConfig(),
    networks: createDefaultMeshNetworks(),
  });
  const processEnvironment = { ...process.env, ORCH_SERVICE_HOST: environment.orchServiceHost };
  const cluster = readsCluster(options)
    ? createClusterConnection({
        access: { orchConfig: discovery.orchConfig, environment: processEnvironment },
        userAgent: userAgentOf(build),
        clock,
      })
    : undefined;
  const keeper = createSettingsKeeper({
    connection: cluster,
    namespace: discovery.namespace,
    revision: environment.revision,
    metrics,
    logger: logging.scope('source'),
    clock,
  });
  const sources = createSources(
    options,
    store,
    { kinds, metrics, build, logging, clock, processEnvironment },
    {
      connection: cluster,
      keeper,
      observers: [
        {
          reached: (reached) => trust.remoteClusters.reached(reached),
          removed: (id) => trust.remoteClusters.removed(id),
        },
      ],
    },
  );

  const ledger = environment.navEnableConfigDistributionTracking
    ? createDistributionLedger(
        Math.max(environment.navDistributionHistoryRetentionMs, cluster === undefined ? 0 : STATUS_RETENTION_MS),
      )
    : undefined;
  const enforcement = (): Enforcement => ({
    isPluginOn: discovery.plugins.includes('policy'),
    isAuthnOff: !discovery.plugins.includes('authn'),
    limitedQuotas: policy.limitedQuotas(),
    isPod: environment.podName !== '',
    quotaDimensions: policy.quotaDimensions(),
    unsharedCounters: replicas?.unshared(),
    regexLimits: regexLimitsOf(environment),
  });
  const analysis = environment.navEnableAnalysis
    ? createAnalysisWatch(logging.scope('analysis'), clock, enforcement, () => distributor.resources.findings())
    : NO_ANALYSIS;
  const encoder = createMessageEncoder(protos);
  const guard = createProcessGuard(options.common, metrics, logging, clock);
  const policyTls = policyTlsMode(options);
  const policyCredentials = createPolicyCredentials({
    discoveryHost: () => discoveryHostOf(store.state().mesh),
    customHost: environment.meshdCustomHost,
    namespace: discovery.namespace,
    domain: discovery.domain,
    trustDomain: () => ownTrustDomains(discovery.trustDomain, store.state().mesh)[0],
    clock,
    logger: logging.scope('pkica'),
  });
  const policy = createPolicyRuntime({
    guard,
    ...(policyTls.listener && {
      tls: { ...policyCredentials, mode: policyTls.listener, peerNamespace: discovery.namespace },
    }),
    configFile: discovery.policyConfigFile,
    mountedFrom: createMountedFrom(environment.podName, discovery.namespace),
    configDefaults: environment.navPolicyConfigDefaults,
    custody: keeper.custodyOf('policyConfig'),
    regexLimits: regexLimitsOf(environment),
    listener: policyListenerSettings(options),
    protos,
    encoder,
    metrics,
    logging,
    clock,
    onConfigChange: () => {
      analysis.enforcementChanged();
      replicas?.configChanged();
    },
  });
  const drain = createDrain({
    settings: options.common,
    lastCallMs: policy.lastCallMs,
    askToLeave: policy.askToLeave,
    logger,
    clock,
  });
  // Outside of a cluster, and beside one, no Service has the replicas of this process.
  const replicas =
    cluster && environment.podName !== ''
      ? createReplicaWatch({
          countsInMemory: policy.countsInMemory,
          othersCountInMemory: (namespace) => hasMemoryCounters(connections.list(), namespace),
          clock,
          logger: logging.scope('policy'),
          metrics,
          onChange: () => analysis.enforcementChanged(),
        })
      : undefined;
  const policiesOf = createServicePolicies();
  const ownersOf = createMeshOwners();
  let policyPort = discovery.policyAddr.port;
  const controlPlane = controlPlaneIdentity(build, environment.podName);
  const distributor = createDistributor(distributorSettings(options, controlPlane), {
    generators: createGenerators(encoder, environment, {
      plugins: discovery.plugins,
      embeddedPolicyPort: () => policyPort,
      trustDomain: discovery.trustDomain,
      ...(policyTls.proxies && {
        policyServerIdentity: { namespace: discovery.namespace, serviceAccount: CONTROL_PLANE_ACCOUNT },
      }),
    }),
    ledger,
    metrics: pushMetrics,
    clock,
    logger: logging.scope('ads'),
    nextContext: (previous) => {
      const context = nextPushContext(previous, store, clock.now());
      for (const observer of snapshotObservers) observer.observe(context);
      return context;
    },
  });
  const connections = createConnections(distributor, pushMetrics, logging.scope('ads'), clock);
  const status =
    cluster &&
    createStatus({
      settings: statusSettings(options),
      cluster,
      kinds,
      distributor,
      history: ledger,
      connections,
      problems: sources.clusterProblems,
      refusedSettings: () => [...sources.settingsProblems(), ...policy.problems(), ...trust.problems()],
      messages: analysis.messages,
      logger: logging.scope('status'),
      clock,
    });

  const sessionObservers: readonly SessionObserver[] = [
    { opened: connections.register, closed: connections.closed },
    ...(status === undefined
      ? []
      : [
          {
            opened: status.connectionsChanged,
            progressed: status.connectionsChanged,
            closed: status.connectionsChanged,
          },
        ]),
  ];
  const limits = xdsLimits(environment, getHeapStatistics().heap_size_limit);
  const runner = createWorkRunner(clock);
  const session: SessionEnvironment = {
    distribution: distributor,
    nameSets: createNameSets(),
    metrics: pushMetrics,
    logger: logging.scope('ads'),
    clock,
    runner,
    peers: createPeers(limits),
    limits,
    ...createPeerReports(pushMetrics, logging.scope('ads'), clock),
    readProxy: createProxyReader(readNode, environment.meshDomain, limits.nodeBytes),
    enqueue: (each) => distributor.enqueue(each),
    register: (each) => {
      for (const observer of sessionObservers) observer.opened(each);
    },
    progressed: (each) => {
      for (const observer of sessionObservers) observer.progressed?.(each);
    },
    connectionId: (nodeId) => connections.nextId(nodeId),
  };
  const hooks: SessionHooks = {
    closed: (each) => {
      for (const observer of sessionObservers) observer.closed(each);
    },
  };
  const grpc = createGrpcServer(grpcServerSettings(options), session, hooks, logging.scope('ads'), { guard });
  const trust = createTrustRuntime({
    options,
    guard,
    cluster,
    keeper,
    mesh: () => store.state().mesh,
    entryGuard: () => store.entryGuard(),
    kinds,
    session,
    hooks,
    policyCredentials,
    enforcement,
    encoder,
    controlPlane,
    metrics,
    logging,
    clock,
  });

  const { http, monitoring } = createHttpServers({
    options,
    views: createViews({
      build,
      messageJson: createMessageJson(protos),
      distributor,
      connections,
      ledger,
      kinds,
      metrics,
      registry,
      clock,
      adszConfigEnabled: environment.navDebugAdszConfig,
      metricsMinIntervalMs: environment.navMetricsMinIntervalMs,
      probes: [drain.probe, ...trust.probes],
      injectionTemplate: trust.injectionTemplate,
      problems: () => [
        ...sources.problems(),
        ...policy.problems(),
        ...trust.problems(),
        ...analysis.messages().map(problemOf),
      ],
    }),
    metrics,
    logger,
    clock,
  });

  /** In the order in which a snapshot is shown to them: first the policy server, which must know it when proxies do. */
  const snapshotObservers: readonly SnapshotObserver[] = [
    { observe: (context) => policy.observe({ ...policiesOf(context), owners: ownersOf(context) }) },
    ...(replicas === undefined ? [] : [replicas]),
    analysis,
    trust,
    createPendingPodRecorder(metrics),
  ];
  let stopping = false;
  let starting: Promise<ServedAddresses> | undefined;

  const startPlaintext = async (address: ListenAddress | undefined): Promise<ListenAddress | undefined> => {
    if (address === undefined) return undefined;
    const port = await grpc.start().catch((cause: NodeJS.ErrnoException) => {
      throw new ListenError('--grpcAddr', address, cause);
    });
    return { host: address.host, port };
  };

  const start = async (): Promise<ServedAddresses> => {
    const startMs = clock.monotonicMs();
    const grpcAddress = await startPlaintext(discovery.grpcAddr);
    await sources.start((change) => {
      for (const [type, count] of Object.entries(change.updates)) {
        if (count > 0) metrics.increment('nav_inbound_updates', { type }, count);
      }
      if (change.push !== undefined) distributor.submit({ ...change.push, startMs: clock.monotonicMs() });
    });
    if (stopping) throw new StartError('the server was told to stop while it started');
    // Before any proxy is served, for an address that cannot be had ends the start.
    const [policyAddress, { secureGrpc, https }, httpAddress, monitoringAddress] = await Promise.all([
      policy.start(),
      trust.start(),
      http.start(),
      monitoring.start(),
    ]);
    policyPort = policyAddress.port;
    distributor.start();
    grpc.setServing();
    trust.setServing();
    policy.setServing(true);
    if (cluster === undefined && environment.navEnableStatus) {
      logger.warn({}, 'NAV_ENABLE_STATUS writes to a cluster, and none is read');
    }
    await status?.start();
    logger.info(
      {
        services: distributor.context?.services.length ?? 0,
        ...(grpcAddress === undefined ? {} : { grpc: formatListenAddress(grpcAddress) }),
        http: [httpAddress, monitoringAddress].map(formatListenAddress),
        policy: formatListenAddress(policyAddress),
        ...(secureGrpc === undefined ? {} : { secureGrpc: formatListenAddress(secureGrpc) }),
        ...(https === undefined ? {} : { https: formatListenAddress(https) }),
        startMs: Math.round(clock.monotonicMs() - startMs),
      },
      'Discovery server is ready',
    );
    return {
      grpc: grpcAddress,
      http: httpAddress,
      monitoring: monitoringAddress,
      policy: policyAddress,
      secureGrpc,
      https,
    };
  };

  return {
    start: () => {
      starting = start();
      return starting;
    },
    drain: () => {
      // Streams of discovery go on: proxies of this instance learn over them where the policy server is now.
      policy.setServing(false);
      return drain.begin();
    },
    stop: async () => {
      stopping = true;
      drain.cancel();
      keeper.stop();
      distributor.stop();
      runner.stop();
      analysis.stop();
      replicas?.stop();
      const statusStopped = status?.stop();
      await sources.stop();
      // What a start has opened meanwhile is closed with the rest; its failure is its caller's affair.
      await starting?.catch(() => undefined);
      await Promise.all([
        grpc.stop(STOP_GRACE_MS),
        policy.stop(STOP_GRACE_MS),
        trust.stop(STOP_GRACE_MS),
        http.stop(),
        monitoring.stop(),
        statusStopped,
      ]);
      cluster?.close();
    },
  };
}

/** A message of the analysis, as debug pages show problems. */
function problemOf({ message, ...rest }: AnalysisMessage): ConfigProblem {
  return { ...rest, reason: message };
}
