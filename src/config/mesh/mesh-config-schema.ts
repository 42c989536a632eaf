import type { Static } from 'typebox';
import * as Type from 'typebox';
import { meshLocalityLbSettingSchema } from '../networking/locality-lb-setting.js';
import type { Immutable } from '../schema/immutable.js';
import { proxyConfigSchema } from './proxy-config-schema.js';

/**
 * The policy settings, which are top-level fields of the mesh config file
 * (docs/reference/mesh-config.md#policy-settings).
 */
const policyFields = {
  mixerCheckServer: Type.String({
    description:
      'host:port of the policy server that checks requests; embedded: the policy server in the control plane; empty: none.',
    default: '',
  }),
  mixerReportServer: Type.String({
    description:
      'host:port of the policy server that takes reports; embedded: the policy server in the control plane; empty: none.',
    default: '',
  }),
  disablePolicyChecks: Type.Boolean({ description: 'If true, proxies do not check requests.', default: true }),
  policyCheckFailOpen: Type.Boolean({
    description: 'If true, requests that cannot be checked pass (FAIL_OPEN). If false, they are rejected (FAIL_CLOSE).',
    default: true,
  }),
  disableMixerHttpReports: Type.Boolean({
    description: 'If true, proxies do not report HTTP requests.',
    default: true,
  }),
  enableClientSidePolicyCheck: Type.Boolean({
    description: 'If true, the proxy of the caller checks requests too.',
    default: false,
  }),
  sidecarToTelemetrySessionAffinity: Type.Boolean({
    description: 'If true, a proxy always reports to the same server.',
    default: false,
  }),
  reportBatchMaxEntries: Type.Integer({
    description:
      'Maximum reports in one call of the client library, or of the policy server to its backend; 0 means 100. Envoy batches by bytes instead.',
    minimum: 0,
    maximum: 4294967295,
    default: 100,
  }),
  reportInterval: Type.String({
    description: 'Interval between reports of an open TCP connection; at least one second, also for 0s.',
    default: '10s',
  }),
  statsUpdateInterval: Type.String({
    description:
      'Interval at which clients publish their counters; at least one second, also for 0s. The policy server adds them to policy_server_client_events_total.',
    default: '10s',
  }),
  policyCheckProtocol: Type.Enum(['HTTP', 'GRPC'], {
    description:
      'How Envoys ask the policy server about requests. HTTP: over HTTP/1.1, which takes less time. GRPC: for a policy server that answers gRPC alone, such as one of an earlier version. Connections are always checked over gRPC.',
    default: 'HTTP',
  }),
  policyBindingScope: Type.Enum(['GRANTED_NAMESPACES', 'ALL_NAMESPACES'], {
    description:
      'Namespaces that QuotaSpecBindings and HTTPAPISpecBindings of a cluster act on. GRANTED_NAMESPACES: their own, and namespaces whose annotation policy.<mesh domain>/bindings-from names it. ALL_NAMESPACES: all. Bindings of rootNamespace and of files always act on all.',
    default: 'GRANTED_NAMESPACES',
  }),
  reportBatchMaxTime: Type.String({
    description:
      'Maximum time that a report waits for others, in the proxy, in the client library, and in the policy server before its backend; 0s means 1s.',
    default: '1s',
  }),
};

const exportTo = (kind: string) =>
  Type.Array(Type.String(), {
    description: `Namespaces that see a ${kind} without exportTo: * for all, . for its own, or names.`,
    default: ['*'],
  });

/** Settings of features that are not implemented. */
const unusedFields = {
  configSources: Type.Optional(Type.Array(Type.Unknown(), { description: 'Sources of configuration.' })),
  certificates: Type.Optional(Type.Array(Type.Unknown(), { description: 'DNS certificates to create.' })),
  thriftConfig: Type.Optional(Type.Unknown({ description: 'Rate limiting of Thrift.' })),
};

/** Paths of fields without an effect. A mesh config that has one gets a warning. */
export const UNUSED_MESH_CONFIG_FIELDS: readonly string[] = [
  'defaultConfig.configPath',
  'defaultConfig.parentShutdownDuration',
  'defaultConfig.statNameLength',
  ...Object.keys(unusedFields),
];

/**
 * The mesh config file (docs/reference/mesh-config.md#defaults). Durations are texts in Go's syntax. Every field is
 * optional.
 */
export const meshConfigSchema = Type.Object({
  proxyListenPort: Type.Integer({
    description: 'Port of the outbound listener.',
    minimum: 1,
    maximum: 65535,
    default: 15001,
  }),
  proxyHttpPort: Type.Integer({
    description: 'Port of an explicit HTTP forward proxy in each sidecar; 0 for none.',
    minimum: 0,
    maximum: 65535,
    default: 0,
  }),
  connectTimeout: Type.String({ description: 'Maximum time to connect to an upstream.', default: '10s' }),
  protocolDetectionTimeout: Type.String({
    description: 'Time to wait for the first bytes of a connection whose protocol is detected; 0s waits without limit.',
    default: '5s',
  }),
  ingressClass: Type.String({
    description:
      'Class of the Ingress objects that gateways serve: annotation kubernetes.io/ingress.class, or the name of a class.',
    default: 'mesh',
    maxLength: 253,
  }),
  ingressService: Type.String({
    description:
      'Service in ORCH_INGRESS_NS whose addresses are written into the status of Ingress objects; empty: none.',
    default: 'mesh-ingressgateway',
    maxLength: 63,
  }),
  ingressControllerMode: Type.Enum(['OFF', 'DEFAULT', 'STRICT'], {
    description:
      'OFF: no Ingress objects. DEFAULT: objects of ingressClass, and objects without a class. STRICT: only objects of ingressClass.',
    default: 'STRICT',
  }),
  ingressSelector: Type.String({
    description: 'Value of the label app of the gateways that serve Ingress objects.',
    default: 'mesh-ingressgateway',
    minLength: 1,
    maxLength: 63,
  }),
  enableTracing: Type.Boolean({ description: 'If true, proxies trace requests.', default: true }),
  accessLogFile: Type.String({ description: 'File of the access log; empty: no access log.', default: '' }),
  accessLogFormat: Type.String({
    description:
      "Format of the access log: a text with %COMMANDS%, or a JSON object of such texts; empty: Envoy's default format.",
    default: '',
  }),
  accessLogEncoding: Type.Enum(['TEXT', 'JSON'], { description: 'Encoding of the access log.', default: 'TEXT' }),
  outboundTrafficPolicy: Type.Object(
    {
      mode: Type.Enum(['ALLOW_ANY', 'REGISTRY_ONLY'], {
        description: 'Traffic to hosts that are not in the mesh: ALLOW_ANY lets it pass, REGISTRY_ONLY blocks it.',
        default: 'ALLOW_ANY',
      }),
    },
    { default: {} },
  ),
  enableAutoMtls: Type.Boolean({
    description: 'If true, sidecars use mutual TLS towards every endpoint that accepts it.',
    default: true,
  }),
  onDemand: Type.Boolean({
    description:
      'If true, sidecars that speak delta xDS learn clusters and virtual hosts when their workload calls them. The annotation sidecar.<mesh domain>/onDemand of a pod overrides this.',
    default: false,
  }),
  trustDomain: Type.String({ description: 'Trust domain of identities.', default: 'cluster.local' }),
  trustDomainAliases: Type.Array(Type.String(), {
    description: 'Other trust domains whose identities count as identities of this one.',
    default: [],
  }),
  rootNamespace: Type.String({
    description: 'Namespace whose objects apply to the whole mesh.',
    default: 'mesh-system',
  }),
  serviceEntryScope: Type.Enum(['GUARDED', 'OWN_NAMESPACE', 'ALL_NAMESPACES'], {
    description:
      'Namespaces that ServiceEntries of a cluster affect. GUARDED: those in exportTo, but only their own if they claim hosts or addresses of others. OWN_NAMESPACE: their own. ALL_NAMESPACES: those in exportTo. Entries of rootNamespace and of files always affect the namespaces in exportTo.',
    default: 'GUARDED',
  }),
  virtualServiceScope: Type.Enum(['GUARDED', 'ALL_NAMESPACES'], {
    description:
      'Callers whose requests VirtualServices of a cluster route. GUARDED: those of their own namespace, and those of the namespaces in exportTo for hosts of their own namespace and for hosts outside of the cluster that no other namespace has. ALL_NAMESPACES: those of the namespaces in exportTo, for all hosts. VirtualServices of rootNamespace and of files always route for the namespaces in exportTo.',
    default: 'GUARDED',
  }),
  defaultServiceExportTo: exportTo('service'),
  defaultVirtualServiceExportTo: exportTo('VirtualService'),
  defaultDestinationRuleExportTo: exportTo('DestinationRule'),
  dnsRefreshRate: Type.String({ description: 'Interval at which proxies resolve DNS names again.', default: '5s' }),
  localityLbSetting: meshLocalityLbSettingSchema,
  enablePrometheusMerge: Type.Boolean({
    description: "If true, injected sidecars serve the application's metrics together with their own.",
    default: true,
  }),
  h2UpgradePolicy: Type.Enum(['DO_NOT_UPGRADE', 'UPGRADE'], {
    description: 'UPGRADE: sidecars upgrade HTTP/1.1 to HTTP/2 between one another.',
    default: 'DO_NOT_UPGRADE',
  }),
  inboundClusterStatName: Type.String({
    description: 'Pattern for statistics names of inbound clusters.',
    default: '',
  }),
  outboundClusterStatName: Type.String({
    description: 'Pattern for statistics names of outbound clusters.',
    default: '',
  }),
  serviceSettings: Type.Array(
    Type.Object({
      settings: Type.Object(
        {
          clusterLocal: Type.Boolean({
            description: "If true, only endpoints of the proxy's own cluster serve the hosts.",
            default: false,
          }),
        },
        { default: {} },
      ),
      hosts: Type.Array(Type.String(), { description: 'Host names; the first label may be *.', default: [] }),
    }),
    { description: 'Settings of groups of services.', default: [] },
  ),
  ...policyFields,
  defaultConfig: proxyConfigSchema,
  ...unusedFields,
});

export type MeshConfigFile = Immutable<Static<typeof meshConfigSchema>>;
