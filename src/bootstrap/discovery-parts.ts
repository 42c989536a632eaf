import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { createKindRegistry } from '../config/kinds.js';
import { createDefaultMeshConfig } from '../config/mesh/read-mesh-config.js';
import { createDefaultMeshNetworks } from '../config/mesh/read-mesh-networks.js';
import { shortTypeName } from '../envoy/type-urls.js';
import { createPolicyServerService } from '../instances/policy-server-service.js';
import { createPolicyServers } from '../instances/policy-servers.js';
import { createPageReader } from '../introspection/page-reader.js';
import { createPages, DISCOVERY_SITE, instancePages } from '../introspection/page-table.js';
import type { ConfigProblem } from '../introspection/views.js';
import { createMeshStore } from '../model/store/mesh-store.js';
import type { AnalysisMessage } from '../status/analysis/analysis-message.js';
import { createAnalysisMetrics } from '../status/analysis-metrics.js';
import { createAnalysisWatch, NO_ANALYSIS } from '../status/analysis-watch.js';
import type { Logging } from '../telemetry/logging.js';
import { NAVIGATOR_DISCOVERY_FAMILIES } from '../telemetry/metric-families.js';
import { createTracing } from '../tracing/create-tracing.js';
import { createClusterConnection } from './cluster-connection.js';
import { connectObservers } from './connect-observers.js';
import { controlPlaneIdentity } from './control-plane-identity.js';
import { createApiKeys } from './create-api-keys.js';
import { createHttpServers } from './create-http-servers.js';
import { createInstances } from './create-instances.js';
import { createIntrospection } from './create-introspection.js';
import { createKeySets } from './create-key-sets.js';
import { createSources } from './create-sources.js';
import { createViews } from './create-views.js';
import { createDnsServing } from './dns-serving.js';
import { createDrain } from './drain.js';
import { regexLimitsOf, statusSettings, storeSettings, tracingSettings } from './map-options.js';
import type { Options } from './options.js';
import { connectedPolicyServers } from './policy/connected-policy-servers.js';
import { createEmbeddedPolicy } from './policy/embedded-policy.js';
import { createQuotaShapesWatch } from './policy/quota-shapes-watch.js';
import { createProcessParts } from './process-parts.js';
import { createProxyServing, type ProxyObservers } from './proxy-serving.js';
import { readsCluster, userAgentOf } from './read-cluster.js';
import { readEnforcement } from './read-enforcement.js';
import { createSettingsKeeper } from './settings-keeper.js';
import { openGatewayStatus } from './status/create-gateway-status.js';
import { openIngressStatus } from './status/create-ingress-status.js';
import { createStatus } from './status/create-status.js';
import { createSubmit } from './submit-change.js';
import { createCredentials } from './trust/create-credentials.js';
import { createSecureServing } from './trust/secure-serving.js';
import { createWebhookServing } from './webhooks/webhook-serving.js';

/** Creates the parts of the discovery process and connects them; `discovery-server` starts and stops them. */
export function createDiscoveryParts(options: Options, logging: Logging, clock: Clock) {
  const { discovery, environment } = options;
  const logger = logging.scope('default');
  const parts = createProcessParts(options.common, logging, clock, NAVIGATOR_DISCOVERY_FAMILIES);
  const { metrics, outgoing, build, encoder, guard } = parts;
  const kinds = createKindRegistry(environment.meshDomain, regexLimitsOf(environment), {
    virtualServices: { delegates: environment.navEnableVirtualServiceDelegate },
    expressionLanguage: environment.meshLang,
    gatewayApi: environment.navEnabledServiceApis,
  });
  const store = createMeshStore(storeSettings(options), {
    mesh: createDefaultMeshConfig(),
    networks: createDefaultMeshNetworks(),
  });
  const mesh = () => store.state().mesh;
  // An instance without a name gets a random one: two such instances must not share a Lease.
  const identity = environment.podName === '' ? `unknown-${randomUUID()}` : environment.podName;
  const controlPlane = controlPlaneIdentity(build, environment.podName);
  const observers: ProxyObservers = { snapshots: [], sessions: [] };

  const processEnvironment = { ...process.env, ORCH_SERVICE_HOST: environment.orchServiceHost };
  const cluster = readsCluster(options)
    ? createClusterConnection({
        access: { orchConfig: discovery.orchConfig, environment: processEnvironment },
        userAgent: userAgentOf(build),
        clock,
        outgoing,
      })
    : undefined;
  const hasCluster = cluster !== undefined;
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
    { kinds, metrics, outgoing, build, logging, clock, processEnvironment },
    {
      connection: cluster,
      keeper,
      onRefusals: () => policy.refusalsChanged(),
      observers: [
        {
          reached: (reached) => secure.remoteClusters.reached(reached),
          removed: (id) => secure.remoteClusters.removed(id),
        },
      ],
    },
  );

  const policy = createEmbeddedPolicy({
    options,
    process: parts,
    mesh,
    hasCluster,
    keeper,
    connections: () => proxies.connections.list(),
    refusedObjects: sources.refusedObjects,
    logging,
    clock,
    onChange: () => {
      analysis.enforcementChanged();
      shapes.look();
    },
  });
  const enforcement = () => readEnforcement(options, { policy, webhooks, keySets });
  const analysis = environment.navEnableAnalysis
    ? createAnalysisWatch(
        logging.scope('analysis'),
        clock,
        enforcement,
        () => proxies.distributor.resources.findings(),
        () => secure.credentialProblems(),
        createAnalysisMetrics(metrics, clock),
      )
    : NO_ANALYSIS;
  const policyServers = createPolicyServers({
    connected: () => connectedPolicyServers(proxies.connections.list()),
    clock,
  });
  const tracing = createTracing(tracingSettings(options, build.version), { clock, logger, metrics, shortTypeName });
  const proxies = createProxyServing({
    tracer: tracing?.tracer,
    options,
    process: parts,
    store,
    kinds,
    hasCluster,
    policyServer: policy.forProxies,
    createServices: (session) => [
      createPolicyServerService({
        environment: session,
        gate: undefined,
        isPolicyServer: () => false,
        servers: policyServers,
      }),
    ],
    controlPlane,
    observers,
    logging,
    clock,
  });
  const { distributor, connections } = proxies;
  const submit = createSubmit(metrics, distributor, logging, clock);
  const shapes = createQuotaShapesWatch({
    ...{ store, submit, mesh },
    ownShapes: policy.quotaShapes,
    connections: () => connections.list(),
  });
  const keySets = createKeySets({
    options,
    store,
    metrics,
    outgoing,
    submit,
    onProblems: () => analysis.enforcementChanged(),
    logging,
    clock,
  });
  const apiKeys = createApiKeys({ options, store, cluster, submit, logging, clock });
  const status =
    cluster &&
    createStatus({
      settings: statusSettings(options),
      cluster,
      kinds,
      distributor,
      history: proxies.ledger,
      connections,
      problems: sources.clusterProblems,
      refusedSettings: () => [...sources.settingsProblems(), ...policy.problems(), ...webhooks.problems()],
      messages: analysis.messages,
      logger: logging.scope('status'),
      clock,
    });
  const credentials = createCredentials({ options, cluster, logging, clock });
  const statusSources = { cluster, kinds, identity, context: () => distributor.context, logging, clock };
  const apiStatuses = [
    openGatewayStatus(options, statusSources, credentials),
    openIngressStatus(options, statusSources),
  ].filter((runtime) => runtime !== undefined);
  const secure = createSecureServing({
    options,
    guard,
    cluster,
    mesh,
    kinds,
    session: proxies.session,
    hooks: proxies.hooks,
    credentials,
    policyCredentials: policy.credentials,
    encoder,
    controlPlane,
    readPage: (question) => readPage(question),
    policyServers,
    identity,
    metrics,
    outgoing,
    logging,
    clock,
  });
  const webhooks = createWebhookServing({
    options,
    cluster,
    keeper,
    mesh,
    kinds,
    entryGuard: () => store.entryGuard(),
    enforcement,
    onProxyImage: () => analysis.enforcementChanged(),
    identity,
    metrics,
    logging,
    clock,
  });
  const dns = createDnsServing({ options, metrics, logging, clock });
  const drain = createDrain({
    settings: options.common,
    lastCallMs: policy.lastCallMs,
    askToLeave: policy.askToLeave,
    logger,
    clock,
  });
  const instances = createInstances({
    context: () => distributor.context,
    material: policy.credentials.material,
    namespace: discovery.namespace,
    identity,
    clock,
  });
  const sourceProblems = () => [...sources.problems(), ...policy.problems(), ...webhooks.problems()];
  const views = createViews({
    ...parts,
    distributor,
    connections,
    ledger: proxies.ledger,
    activity: proxies.activity,
    rejections: proxies.rejections.list,
    kinds,
    clock,
    adszConfigEnabled: environment.navDebugAdszConfig,
    metricsMinIntervalMs: environment.navMetricsMinIntervalMs,
    expressionLanguage: environment.meshLang,
    probes: [drain.probe, webhooks.probe],
    injectionTemplate: webhooks.injectionTemplate,
    problems: () => [...sourceProblems(), ...analysis.messages().map(problemOf)],
    instances,
    policyServers,
    policy,
    lastProblems: () => [...sourceProblems(), ...analysis.lastMessages().map(problemOf)],
  });
  const readPage = createPageReader({ pages: instancePages(DISCOVERY_SITE), views, clock, logger });
  const { protos } = parts;
  const { http, monitoring } = createHttpServers({ options, proxies, protos, views, metrics, logger, clock });
  const introspection = createIntrospection({
    common: options.common,
    process: parts,
    views,
    site: DISCOVERY_SITE,
    pages: (site) => createPages(site),
    logging,
    clock,
  });

  connectObservers(observers, {
    ...{ policy, keySets, apiKeys, analysis, webhooks, dns, shapes, status, apiStatuses },
    ...{ tracer: tracing?.tracer, distributor, metrics, logging, clock },
  });

  return {
    tracing,
    ...{ cluster, keeper, sources, submit, keySets, apiKeys, analysis, policy, proxies, status, secure, webhooks },
    ...{ dns, drain, http, monitoring, introspection, instances, apiStatuses },
  };
}

/** A message of the analysis, as debug pages show problems. */
function problemOf({ message, ...rest }: AnalysisMessage): ConfigProblem {
  return { ...rest, reason: message };
}
