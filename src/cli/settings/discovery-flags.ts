import type { DiscoveryFlags } from '../../bootstrap/options.js';
import { plugins, registries } from '../values/list-types.js';
import { bool, duration, integer, text } from '../values/scalar-types.js';
import {
  dnsName,
  listenAddress,
  namespaceName,
  namespaceNames,
  optionalHttpUrl,
  optionalListenAddress,
  optionalNamespaceName,
  requiredText,
  trustDomainName,
} from '../values/text-types.js';
import { awaits, type FlagTable } from './setting.js';
import { UNLANDED } from './unlanded-reasons.js';

/** What the meaning of a listener adds that narrows its default (loopback-defaults.ts). */
export const LOOPBACK_OUTSIDE = 'Outside a cluster, 127.0.0.1 unless the flag is given';

const windowSize = integer({ min: 1 });

/** The flags of the `discovery` command (SPEC 4.4). */
export const discoveryFlags: FlagTable<DiscoveryFlags> = {
  appNamespaces: {
    name: 'appNamespace',
    shorthand: 'a',
    type: namespaceNames,
    default: '',
    meaning: 'Comma-separated application namespaces that the controller manages; if unset, all namespaces are watched',
  },
  caCertFile: {
    name: 'caCertFile',
    type: text,
    default: '',
    meaning: 'File with the x509 server CA certificate',
  },
  clusterId: {
    name: 'clusterID',
    type: requiredText,
    default: 'Orchestrator',
    meaning: 'Identifier of the cluster this instance resides in; if not set, CLUSTER_ID is used',
  },
  clusterRegistriesNamespace: {
    name: 'clusterRegistriesNamespace',
    type: namespaceName,
    default: 'mesh-system',
    meaning: 'Namespace of the config map that stores cluster configs',
  },
  configDir: {
    name: 'configDir',
    type: text,
    default: '',
    meaning:
      'Directory watched for config YAML files; if set, the files are the config source instead of a custom-resource client',
  },
  catalogServerUrl: {
    name: 'catalogserverURL',
    type: optionalHttpUrl,
    default: '',
    meaning: 'URL of the catalog registry server',
    unlanded: awaits(UNLANDED.catalog),
  },
  domain: { name: 'domain', type: dnsName, default: 'cluster.local', meaning: 'DNS domain suffix' },
  grpcAddr: {
    name: 'grpcAddr',
    type: optionalListenAddress,
    default: ':15010',
    meaning: `Discovery gRPC address, plaintext: any caller gets the configuration of any proxy; --grpcAddr= closes it. ${LOOPBACK_OUTSIDE}`,
  },
  httpAddr: {
    name: 'httpAddr',
    type: listenAddress,
    default: ':8080',
    meaning: `Discovery HTTP address. ${LOOPBACK_OUTSIDE}`,
  },
  httpsAddr: {
    name: 'httpsAddr',
    type: listenAddress,
    default: ':15017',
    meaning: 'Injection and validation HTTPS address',
  },
  orchConfig: {
    name: 'orchconfig',
    type: text,
    default: '',
    meaning: 'Use an orchestrator configuration file instead of in-cluster configuration',
  },
  mcpInitialConnWindowSizeBytes: {
    name: 'mcpInitialConnWindowSize',
    type: windowSize,
    default: '1048576',
    meaning: 'Initial connection window size of the MCP gRPC connection',
    unlanded: awaits(UNLANDED.mcp),
  },
  mcpInitialWindowSizeBytes: {
    name: 'mcpInitialWindowSize',
    type: windowSize,
    default: '1048576',
    meaning: 'Initial window size of the MCP gRPC connection',
    unlanded: awaits(UNLANDED.mcp),
  },
  mcpMaxMsgSizeBytes: {
    name: 'mcpMaxMsgSize',
    type: windowSize,
    default: '4194304',
    meaning: 'Maximum message size received by the MCP gRPC client',
    unlanded: awaits(UNLANDED.mcp),
  },
  meshConfigFile: {
    name: 'meshConfig',
    type: text,
    default: './etc/mesh/config/mesh',
    meaning: 'File name of the mesh configuration; if not specified, a default mesh is used',
  },
  monitoringAddr: {
    name: 'monitoringAddr',
    type: listenAddress,
    default: ':15014',
    meaning: 'HTTP address for self-monitoring information',
  },
  namespace: {
    name: 'namespace',
    shorthand: 'n',
    type: optionalNamespaceName,
    default: 'mesh-system',
    meaning: 'Namespace where the controller resides; if not set, POD_NAMESPACE is used',
  },
  networksConfigFile: {
    name: 'networksConfig',
    type: text,
    default: '/etc/mesh/config/meshNetworks',
    meaning: 'File name of the mesh networks configuration; if not specified, a default is used',
  },
  plugins: {
    name: 'plugins',
    type: plugins,
    default: 'authn,authz,health,policy',
    meaning: 'Comma-separated networking plugins to enable',
    unlanded: (value) => (value.some((plugin) => plugin.startsWith('auth')) ? UNLANDED.plugins : undefined),
  },
  policyAddr: {
    name: 'policyAddr',
    type: listenAddress,
    default: ':15016',
    meaning: `Address of the embedded policy server, for checks and reports of proxies. ${LOOPBACK_OUTSIDE}`,
    addition: true,
  },
  policyConfigFile: {
    name: 'policyConfig',
    type: text,
    default: './etc/mesh/config/policy',
    meaning: 'File name of the policy server configuration; without the file, the defaults apply',
    addition: true,
  },
  profile: {
    name: 'profile',
    type: bool,
    default: 'false',
    meaning: 'Enable profiling via web interface host:port/debug/pprof',
    unlanded: awaits(UNLANDED.profile, false),
  },
  registries: {
    name: 'registries',
    type: registries,
    default: 'Orchestrator',
    meaning: 'Comma-separated platform service registries to read from, one or more of Orchestrator, Catalog, Mock',
    unlanded: (value) => (value.includes('Catalog') ? UNLANDED.catalog : undefined),
  },
  resyncMs: {
    name: 'resync',
    type: duration({ minNs: 0n }),
    default: '1m0s',
    meaning: 'Controller resync interval',
  },
  secureGrpcAddr: {
    name: 'secureGRPCAddr',
    type: listenAddress,
    default: ':15012',
    meaning: 'Secured discovery gRPC address',
  },
  tlsCertFile: {
    name: 'tlsCertFile',
    type: text,
    default: '',
    meaning: 'File with the x509 server certificate',
  },
  tlsKeyFile: {
    name: 'tlsKeyFile',
    type: text,
    default: '',
    meaning: 'File with the x509 private key matching --tlsCertFile',
  },
  trustDomain: {
    name: 'trust-domain',
    type: trustDomainName,
    default: '',
    meaning: 'Domain that identifies the system with SPIFFE',
  },
};
