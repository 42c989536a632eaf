import type { MeshConfig } from '../../src/config/mesh/mesh-config.js';
import type { MeshNetworks } from '../../src/config/mesh/mesh-networks.js';
import { keyOf, type MeshObject } from '../../src/config/object.js';
import type { Endpoint, ServiceEndpoints, ShardKey } from '../../src/model/endpoint.js';
import { NO_GATEWAY_API } from '../../src/model/gateway-api/gateway-api.js';
import { createGatewayIndexer } from '../../src/model/gateways/gateway-index.js';
import { NO_QUOTA_SHAPES, type QuotaShapes } from '../../src/model/policy/fast/quota-shapes.js';
import { type ApiKeySecrets, NO_API_KEY_SECRETS } from '../../src/model/policy/plans/api-key-secrets.js';
import type { Proxy, ProxyMetadata, ServiceTarget } from '../../src/model/proxy.js';
import type { PushContext, ServiceView } from '../../src/model/push-context.js';
import {
  type AuthorizationPolicies,
  createAuthorizationPolicyIndexer,
} from '../../src/model/security/authorization-policies.js';
import { type KeySets, NO_KEY_SETS } from '../../src/model/security/key-sets.js';
import {
  createPeerAuthenticationIndexer,
  type PeerAuthentications,
} from '../../src/model/security/peer-authentications.js';
import { createRequestAuthenticationIndexer } from '../../src/model/security/request-authentications.js';
import type { Port, Service } from '../../src/model/service.js';
import type { SidecarScope } from '../../src/model/sidecars/sidecar-scope.js';
import { shadowedKey } from '../../src/model/snapshot/endpoints-of.js';
import {
  createDestinationRuleIndexer,
  type DestinationRules,
} from '../../src/model/traffic/destination-rules/destination-rules.js';
import { createTrafficTranslator, type NamespaceTraffic } from '../../src/model/traffic/mesh-traffic.js';
import { createDefaultRoutes } from '../../src/model/traffic/service-routes.js';
import { createTrafficViewComposer } from '../../src/model/traffic/traffic-view.js';
import { NO_GRANTS } from '../model/policy/no-grants.js';

/** The parts of a snapshot that a test sets; the others have plain defaults. */
export interface ContextParts {
  readonly services?: readonly Service[];
  /** Services that only some views have, under hosts of others; one per host. */
  readonly shadowed?: readonly Service[];
  readonly endpoints?: readonly ServiceEndpoints[];
  readonly mesh?: MeshConfig;
  readonly networks?: MeshNetworks;
  /** Views by namespace; every other namespace sees all services. */
  readonly views?: Readonly<Record<string, ServiceView>>;
  readonly targets?: readonly ServiceTarget[];
  readonly peerAuthentications?: readonly MeshObject[];
  /** How services are reached; default: as services without any objects are. */
  readonly traffic?: NamespaceTraffic;
  readonly authorizationPolicies?: readonly MeshObject[];
  readonly destinationRules?: readonly MeshObject[];
  /** Of the Sidecar of all proxies. */
  readonly scope?: SidecarScope;
  readonly gateways?: readonly MeshObject[];
  readonly requestAuthentications?: readonly MeshObject[];
  readonly keySets?: KeySets;
  readonly quotaShapes?: QuotaShapes;
  readonly apiKeySecrets?: ApiKeySecrets;
}

export const MESH: MeshConfig = {
  proxyListenPort: 15001,
  proxyHttpPort: 0,
  connectTimeoutMs: 10_000,
  protocolDetectionTimeoutMs: 5000,
  ingressClass: 'mesh',
  ingressService: 'mesh-ingressgateway',
  ingressControllerMode: 'STRICT',
  ingressSelector: 'mesh-ingressgateway',
  enableTracing: false,
  accessLogFile: '',
  accessLogFormat: '',
  accessLogEncoding: 'TEXT',
  outboundTrafficPolicy: 'ALLOW_ANY',
  enableAutoMtls: true,
  onDemand: false,
  trustDomain: 'cluster.local',
  trustDomainAliases: [],
  rootNamespace: 'mesh-system',
  serviceEntryScope: 'GUARDED',
  virtualServiceScope: 'GUARDED',
  defaultServiceExportTo: ['*'],
  defaultVirtualServiceExportTo: ['*'],
  defaultDestinationRuleExportTo: ['*'],
  dnsRefreshRateMs: 5000,
  localityLb: { enabled: true },
  enablePrometheusMerge: true,
  h2UpgradePolicy: 'DO_NOT_UPGRADE',
  inboundClusterStatName: '',
  outboundClusterStatName: '',
  clusterLocalHosts: [],
  policy: {
    mixerCheckServer: '',
    mixerReportServer: '',
    disablePolicyChecks: true,
    policyCheckFailOpen: false,
    disableMixerHttpReports: true,
    enableClientSidePolicyCheck: false,
    sidecarToTelemetrySessionAffinity: false,
    policyCheckProtocol: 'HTTP',
    policyBindingScope: 'GRANTED_NAMESPACES',
    reportBatchMaxEntries: 100,
    reportBatchMaxTimeMs: 1000,
    reportIntervalMs: 10_000,
    statsUpdateIntervalMs: 10_000,
  },
  defaultConfig: {
    configPath: './etc/mesh/proxy',
    serviceCluster: 'mesh-proxy',
    drainDurationMs: 45_000,
    parentShutdownDurationMs: 60_000,
    terminationDrainDurationMs: 5000,
    proxyAdminPort: 15000,
    concurrency: 2,
    controlPlaneAuthPolicy: 'MUTUAL_TLS',
    discoveryAddress: '',
    tracingAddress: '',
    statNameLength: 189,
    statusPort: 15020,
  },
};

export const NO_NETWORKS: MeshNetworks = { networks: new Map() };

const RULES_OF = createDestinationRuleIndexer();
const TRAFFIC_OF = createTrafficTranslator();
const ROUTES = createDefaultRoutes();
const composeView = createTrafficViewComposer();
let sequence = 0;

export function buildContext(parts: ContextParts = {}): PushContext {
  const services = [...(parts.services ?? [])].sort((a, b) => (a.hostname < b.hostname ? -1 : 1));
  const servicesByHost = new Map(services.map((service) => [service.hostname, service]));
  const endpoints = new Map((parts.endpoints ?? []).map((item) => [endpointsKey(item, servicesByHost), item]));
  const everything: ServiceView = { id: 'all', services: parts.services ?? [] };
  const destinationRules = buildDestinationRules(parts.destinationRules, parts.mesh);
  sequence++;
  return {
    sequence,
    version: `2026-01-01T00:00:00Z/${sequence}`,
    mesh: parts.mesh ?? MESH,
    networks: parts.networks ?? NO_NETWORKS,
    domain: 'cluster.local',
    gatewayApi: NO_GATEWAY_API,
    services,
    servicesByHost,
    shadowedByHost: new Map((parts.shadowed ?? []).map((service) => [service.hostname, [service]])),
    endpoints,
    objects: new Map(),
    entryOffences: new Map(),
    bindingGrants: NO_GRANTS,
    peerAuthentications: buildPeerAuthentications(parts.peerAuthentications, parts.mesh),
    destinationRules,
    authorizationPolicies: buildAuthorizationPolicies(parts.authorizationPolicies, parts.mesh),
    gateways: createGatewayIndexer()({
      objects: new Map([['Gateway', new Map((parts.gateways ?? []).map((object) => [keyOf(object), object]))]]),
      mesh: parts.mesh ?? MESH,
    }),
    requestAuthentications: createRequestAuthenticationIndexer()({
      objects: tableOf('RequestAuthentication', parts.requestAuthentications),
      mesh: parts.mesh ?? MESH,
    }),
    keySets: parts.keySets ?? NO_KEY_SETS,
    quotaShapes: parts.quotaShapes ?? NO_QUOTA_SHAPES,
    apiKeySecrets: parts.apiKeySecrets ?? NO_API_KEY_SECRETS,
    derivationProblems: [],
    findings: [],
    sharedPorts: [],
    viewOf: (namespace) => parts.views?.[namespace] ?? everything,
    viewIn: (namespace) => parts.views?.[namespace] ?? everything,
    clusterOf: (said = 'Orchestrator') => said,
    trafficOf: ({ configNamespace }) => {
      const services = parts.views?.[configNamespace] ?? everything;
      const traffic = parts.traffic ?? TRAFFIC_OF(parts.mesh ?? MESH, destinationRules).ofNamespace(configNamespace);
      return composeView({
        mesh: parts.mesh ?? MESH,
        services,
        inAnyCluster: services,
        traffic,
        routesFor: () => ROUTES,
        scope: parts.scope,
      });
    },
    targetsOf: () => parts.targets ?? [],
    inboundOf: () => parts.targets ?? [],
  };
}

function tableOf(kind: string, objects: readonly MeshObject[] = []): PushContext['objects'] {
  return new Map([[kind, new Map(objects.map((object) => [keyOf(object), object]))]]);
}

function buildPeerAuthentications(objects: readonly MeshObject[] = [], mesh = MESH): PeerAuthentications {
  return createPeerAuthenticationIndexer()({ objects: tableOf('PeerAuthentication', objects), mesh });
}

function buildDestinationRules(objects: readonly MeshObject[] = [], mesh = MESH): DestinationRules {
  const table = new Map(objects.map((object) => [keyOf(object), object]));
  return RULES_OF({ objects: new Map([['DestinationRule', table]]), mesh, domain: 'cluster.local' });
}

function buildAuthorizationPolicies(objects: readonly MeshObject[] = [], mesh = MESH): AuthorizationPolicies {
  return createAuthorizationPolicyIndexer()({ objects: tableOf('AuthorizationPolicy', objects), mesh });
}

function endpointsKey(endpoints: ServiceEndpoints, services: ReadonlyMap<string, Service>): string {
  const { hostname, namespace } = endpoints;
  const service = services.get(hostname);
  return service === undefined || service.namespace === namespace ? hostname : shadowedKey(endpoints);
}

export function buildPort(fields: Partial<Port> = {}): Port {
  return { name: 'http', number: 80, protocol: 'http', ...fields };
}

export function buildService(fields: Partial<Service> = {}): Service {
  const { name = 'web', namespace = 'default' } = fields;
  return {
    hostname: `${name}.${namespace}.svc.cluster.local`,
    name,
    namespace,
    registry: 'Orchestrator',
    addresses: ['10.96.0.1'],
    ports: [buildPort()],
    resolution: 'endpoints',
    headless: false,
    meshExternal: false,
    exportTo: ['*'],
    labels: {},
    subjectAltNames: [],
    creationTimestamp: '',
    source: `Service/${namespace}/${name}`,
    ...fields,
  };
}

export function buildEndpoint(fields: Partial<Endpoint> = {}): Endpoint {
  return {
    address: '10.0.0.1',
    port: 8080,
    portName: 'http',
    health: 'healthy',
    labels: {},
    locality: '',
    network: '',
    weight: 1,
    serviceAccount: '',
    tlsMode: 'disabled',
    workloadName: 'web',
    namespace: 'default',
    hostname: '',
    ...fields,
  };
}

/** @param shards endpoints by shard, or those of the one shard there is */
export function buildEndpoints(
  service: Service,
  shards: readonly Partial<Endpoint>[] | Readonly<Record<ShardKey, readonly Partial<Endpoint>[]>>,
): ServiceEndpoints {
  const byShard = Array.isArray(shards) ? { 'Orchestrator/Orchestrator': shards } : shards;
  return {
    hostname: service.hostname,
    namespace: service.namespace,
    shards: new Map(Object.entries(byShard).map(([key, list]) => [key, list.map(buildEndpoint)])),
    serviceAccounts: [],
  };
}

export function buildProxy(fields: Partial<Proxy> = {}, metadata: Partial<ProxyMetadata> = {}): Proxy {
  const type = fields.type ?? 'sidecar';
  return {
    id: `${type}~10.0.0.9~client.default~default.svc.cluster.local`,
    type,
    ipAddresses: ['10.0.0.9'],
    name: 'client',
    configNamespace: 'default',
    dnsDomain: 'default.svc.cluster.local',
    locality: '',
    version: '',
    metadata: { labels: {}, instanceIps: [], interceptionMode: 'REDIRECT', requestedNetworkView: [], ...metadata },
    hasSecrets: false,
    ...fields,
  };
}
