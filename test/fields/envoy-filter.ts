import type { KindFields } from './kind-fields.js';

const MATCH = 'a patch matches by context, proxy, port, listener, filter chain and filter';
const ORDER = 'filters are in the order of namespaces, patches and operations';
const ROUTES = 'routes that patches add, change and remove answer requests';
const CLUSTERS = 'clusters that patches change, add and remove are in the sidecar';
const LISTENERS = 'listeners, filter chains and network filters that patches change are in force';
const SELECTED = 'an EnvoyFilter is for the workloads that it selects, in its own namespace';
const SCRIPT = 'a script in the inbound listener changes responses until its EnvoyFilter is removed';
const GOLDEN = {
  test: 'as in the golden file',
  file: 'generators/golden.test.ts',
} as const;
const INVALID = {
  test: 'INVALID is neither a part of the configuration nor an operation',
  file: 'config/networking/envoy-filter.test.ts',
  refused: true,
} as const;

export const ENVOY_FILTER: KindFields = {
  kind: 'EnvoyFilter',
  file: 'e2e/envoy-filter.test.ts',
  fields: {
    'EnvoyFilter.workloadSelector': SELECTED,
    'EnvoyFilter.configPatches': SCRIPT,
    'ApplyTo.INVALID': INVALID,
    'ApplyTo.LISTENER': LISTENERS,
    'ApplyTo.FILTER_CHAIN': LISTENERS,
    'ApplyTo.NETWORK_FILTER': LISTENERS,
    'ApplyTo.HTTP_FILTER': SCRIPT,
    'ApplyTo.ROUTE_CONFIGURATION': ROUTES,
    'ApplyTo.VIRTUAL_HOST': ROUTES,
    'ApplyTo.HTTP_ROUTE': ROUTES,
    'ApplyTo.CLUSTER': CLUSTERS,
    'PatchContext.ANY': MATCH,
    'PatchContext.SIDECAR_INBOUND': SCRIPT,
    'PatchContext.SIDECAR_OUTBOUND': ROUTES,
    'PatchContext.GATEWAY': MATCH,
    'ProxyMatch.proxyVersion': MATCH,
    'ProxyMatch.metadata': MATCH,
    'ClusterMatch.portNumber': CLUSTERS,
    'ClusterMatch.service': CLUSTERS,
    'ClusterMatch.subset': CLUSTERS,
    'ClusterMatch.name': CLUSTERS,
    'RouteConfigurationMatch.portNumber': ROUTES,
    'RouteConfigurationMatch.portName': ROUTES,
    'RouteConfigurationMatch.gateway': GOLDEN,
    'RouteConfigurationMatch.vhost': ROUTES,
    'RouteConfigurationMatch.name': ROUTES,
    'RouteMatch.name': ROUTES,
    'RouteMatch.action': ROUTES,
    'RouteMatch.Action.ANY': ROUTES,
    'RouteMatch.Action.ROUTE': ROUTES,
    'RouteMatch.Action.REDIRECT': ROUTES,
    'RouteMatch.Action.DIRECT_RESPONSE': ROUTES,
    'VirtualHostMatch.name': ROUTES,
    'VirtualHostMatch.route': ROUTES,
    'ListenerMatch.portNumber': MATCH,
    'ListenerMatch.portName': MATCH,
    'ListenerMatch.filterChain': MATCH,
    'ListenerMatch.name': MATCH,
    'FilterChainMatch.name': MATCH,
    'FilterChainMatch.sni': MATCH,
    'FilterChainMatch.transportProtocol': LISTENERS,
    'FilterChainMatch.applicationProtocols': LISTENERS,
    'FilterChainMatch.filter': MATCH,
    'FilterMatch.name': MATCH,
    'FilterMatch.subFilter': SCRIPT,
    'SubFilterMatch.name': SCRIPT,
    'Patch.operation': SCRIPT,
    'Patch.value': SCRIPT,
    'Patch.Operation.INVALID': INVALID,
    'Patch.Operation.MERGE': ROUTES,
    'Patch.Operation.ADD': ORDER,
    'Patch.Operation.REMOVE': CLUSTERS,
    'Patch.Operation.INSERT_BEFORE': SCRIPT,
    'Patch.Operation.INSERT_AFTER': ORDER,
    'Patch.Operation.INSERT_FIRST': ORDER,
    'EnvoyConfigObjectMatch.context': MATCH,
    'EnvoyConfigObjectMatch.proxy': MATCH,
    'EnvoyConfigObjectMatch.listener': MATCH,
    'EnvoyConfigObjectMatch.routeConfiguration': ROUTES,
    'EnvoyConfigObjectMatch.cluster': CLUSTERS,
    'EnvoyConfigObjectPatch.applyTo': SCRIPT,
    'EnvoyConfigObjectPatch.match': SCRIPT,
    'EnvoyConfigObjectPatch.patch': SCRIPT,
  },
};
