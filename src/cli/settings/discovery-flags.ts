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
import { awaits, type FlagTable, UNIMPLEMENTED } from './setting.js';

/** Follows the meaning of a listener with another default outside a cluster (outside-cluster.ts). */
export const LOOPBACK_OUTSIDE = 'Outside a cluster, the host is 127.0.0.1 unless the flag is set';

const windowSize = integer({ min: 1 });

/** The flags of the `discovery` command. */
export const discoveryFlags: FlagTable<DiscoveryFlags> = {
  appNamespaces: {
    name: 'appNamespace',
    shorthand: 'a',
    type: namespaceNames,
    default: '',
    meaning: 'Comma-separated namespaces that the control plane watches; if not set, all namespaces',
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
    meaning: 'ID of the cluster of this instance; if not set, CLUSTER_ID is used',
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
      'Directory with YAML files of configuration, which is watched; if set, no custom resources are read from the cluster',
  },
  catalogServerUrl: {
    name: 'catalogserverURL',
    type: optionalHttpUrl,
    default: '',
    meaning: 'URL of the catalog registry server',
    unimplemented: awaits(UNIMPLEMENTED.catalog),
  },
  domain: { name: 'domain', type: dnsName, default: 'cluster.local', meaning: 'DNS domain suffix' },
  grpcAddr: {
    name: 'grpcAddr',
    type: optionalListenAddress,
    default: ':15010',
    meaning: `Plaintext gRPC address of discovery, at which any caller gets the configuration of any proxy; --grpcAddr= opens no listener. ${LOOPBACK_OUTSIDE}`,
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
    meaning: 'Kubeconfig file of the cluster, instead of in-cluster configuration',
  },
  mcpInitialConnWindowSizeBytes: {
    name: 'mcpInitialConnWindowSize',
    type: windowSize,
    default: '1048576',
    meaning: 'Initial connection window size of the MCP gRPC connection',
    unimplemented: awaits(UNIMPLEMENTED.mcp),
  },
  mcpInitialWindowSizeBytes: {
    name: 'mcpInitialWindowSize',
    type: windowSize,
    default: '1048576',
    meaning: 'Initial window size of the MCP gRPC connection',
    unimplemented: awaits(UNIMPLEMENTED.mcp),
  },
  mcpMaxMsgSizeBytes: {
    name: 'mcpMaxMsgSize',
    type: windowSize,
    default: '4194304',
    meaning: 'Maximum message size received by the MCP gRPC client',
    unimplemented: awaits(UNIMPLEMENTED.mcp),
  },
  meshConfigFile: {
    name: 'meshConfig',
    type: text,
    default: './etc/mesh/config/mesh',
    meaning: 'File of the mesh config; without the file, the defaults apply',
  },
  monitoringAddr: {
    name: 'monitoringAddr',
    type: listenAddress,
    default: ':15014',
    meaning: 'HTTP address for /ready, /metrics, /version and /debug',
  },
  namespace: {
    name: 'namespace',
    shorthand: 'n',
    type: optionalNamespaceName,
    default: 'mesh-system',
    meaning: 'Namespace of the control plane; if not set, POD_NAMESPACE is used',
  },
  networksConfigFile: {
    name: 'networksConfig',
    type: text,
    default: '/etc/mesh/config/meshNetworks',
    meaning: 'File of the mesh networks; without the file, the mesh is one network',
  },
  plugins: {
    name: 'plugins',
    type: plugins,
    default: 'authn,authz,health,policy',
    meaning: 'Comma-separated networking plugins to enable',
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
    meaning: 'File of the policy server configuration; without the file, the defaults apply',
    addition: true,
  },
  profile: {
    name: 'profile',
    type: bool,
    default: 'false',
    meaning: 'Enable profiling via web interface host:port/debug/pprof',
  },
  registries: {
    name: 'registries',
    type: registries,
    default: 'Orchestrator',
    meaning: 'Comma-separated platform service registries to read from, one or more of Orchestrator, Catalog, Mock',
    unimplemented: (value) => (value.includes('Catalog') ? UNIMPLEMENTED.catalog : undefined),
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
