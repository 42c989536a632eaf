import type { Environment } from '../../../bootstrap/environment.js';
import { bool, text } from '../../values/scalar-types.js';
import { optionalNamespaceName, requiredText, settingsFields } from '../../values/text-types.js';
import { awaits, UNIMPLEMENTED, type VariableTable } from '../setting.js';

/** Variables of the sources of configuration and services, and of the webhooks. */
export const sourceVariables = {
  centralMeshd: {
    name: 'CENTRAL_MESHD',
    type: bool,
    default: 'false',
    meaning: 'If true, one server instance controls remote clusters, including the CA',
  },
  ingressGatewayNamespace: {
    name: 'INGRESS_GATEWAY_NAMESPACE',
    type: text,
    default: '',
    meaning: "Namespace of the agent's gateway-secret fetcher",
    unimplemented: awaits(UNIMPLEMENTED.agent),
  },
  injectionWebhookConfigName: {
    name: 'INJECTION_WEBHOOK_CONFIG_NAME',
    type: text,
    takesEmpty: true,
    default: 'mesh-sidecar-injector',
    meaning:
      'Name of the mutating webhook configuration to patch, if the command-line tool is not used; empty: none is patched',
  },
  meshMetricsAnnotations: {
    name: 'MESH_METRICS_ANNOTATIONS',
    type: text,
    default: '',
    meaning: 'Original scrape settings of a workload',
    unimplemented: awaits(UNIMPLEMENTED.pod),
  },
  navCredentialsDir: {
    name: 'NAV_CREDENTIALS_DIR',
    type: text,
    default: './var/lib/mesh/credentials',
    meaning:
      'Folder with the certificates that credentialName of Gateways and DestinationRules refers to, as <namespace>/<credentialName>/tls.crt, tls.key and ca.crt; with a cluster, its Secrets are used instead',
    addition: true,
  },
  navEnabledServiceApis: {
    name: 'NAV_ENABLED_SERVICE_APIS',
    type: bool,
    default: 'false',
    meaning:
      "Enables experimental support for the orchestrator's service API resources: Gateways and HTTPRoutes of the Kubernetes Gateway API configure routers",
  },
  navEnableAnalysis: {
    name: 'NAV_ENABLE_ANALYSIS',
    type: bool,
    default: 'false',
    meaning: 'Runs analyzers and writes analysis errors to the Status field of resources',
  },
  navEnableCrdValidation: {
    name: 'NAV_ENABLE_CRD_VALIDATION',
    type: bool,
    default: 'false',
    meaning:
      'Validates custom resources while retrieving them from the cache; for deployments without the configuration server',
  },
  navEnableIncrementalMcp: {
    name: 'NAV_ENABLE_INCREMENTAL_MCP',
    type: bool,
    default: 'false',
    meaning: 'Sets the incremental flag in the MCP controller options',
    unimplemented: awaits(UNIMPLEMENTED.mcp, false),
  },
  navEnableOrchSelectWorkloadEntries: {
    name: 'NAV_ENABLE_ORCH_SELECT_WORKLOAD_ENTRIES',
    type: bool,
    default: 'true',
    meaning: 'Services with selectors select workload entries with matching labels',
  },
  navEnableServiceentrySelectPods: {
    name: 'NAV_ENABLE_SERVICEENTRY_SELECT_PODS',
    type: bool,
    default: 'true',
    meaning: 'Service entries with selectors select pods from the cluster',
  },
  navMeshConfigDefaults: {
    name: 'NAV_MESH_CONFIG_DEFAULTS',
    type: settingsFields,
    default: '',
    meaning:
      'Defaults of fields of the mesh config, in YAML; those of defaultConfig apply field by field. Installations set it, so that upgrades do not change the mesh config of users',
    whenUnset: 'the defaults of the mesh config',
    addition: true,
  },
  navPolicyConfigDefaults: {
    name: 'NAV_POLICY_CONFIG_DEFAULTS',
    type: settingsFields,
    default: '',
    meaning: "Defaults of fields of the policy server's file, in YAML, for example a storage that all replicas share",
    whenUnset: 'the defaults of the file',
    addition: true,
  },
  navUseEndpointSlice: {
    name: 'NAV_USE_ENDPOINT_SLICE',
    type: bool,
    default: 'false',
    meaning: 'Reads EndpointSlices instead of Endpoints',
  },
  orchIngressNs: {
    name: 'ORCH_INGRESS_NS',
    type: optionalNamespaceName,
    default: '',
    meaning:
      'Namespace of the Gateways made from Ingresses, of the routers that get the certificates of Ingresses, and of the Service ingressService',
    whenUnset: 'rootNamespace of the mesh config, mesh-system',
  },
  orchServiceHost: {
    name: 'ORCH_SERVICE_HOST',
    type: text,
    default: '',
    meaning: 'Orchestrator service host; set automatically in-cluster',
    whenUnset: 'the process runs outside a cluster',
  },
  secretWatcherResyncPeriod: {
    name: 'SECRET_WATCHER_RESYNC_PERIOD',
    type: text,
    default: '',
    meaning: "Resync period of the agent's gateway-secret fetcher",
    unimplemented: awaits(UNIMPLEMENTED.agent),
  },
  validationWebhookConfigName: {
    name: 'VALIDATION_WEBHOOK_CONFIG_NAME',
    type: requiredText,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the default is this text; parse-options replaces the placeholder.
    default: 'meshd-${namespace}',
    meaning: 'Name of the validating webhook configuration to patch, if the command-line tool is not used',
  },
} as const satisfies Partial<VariableTable<Environment>>;
