import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { MESH_GATEWAY, resolveGatewayName, resolveHost } from '../../../config/networking/host-names.js';
import type { TcpRouteSpec, TlsRouteSpec, VirtualServiceSpec } from '../../../config/networking/virtual-service.js';
import type { DestinationSpec } from '../../../config/networking/virtual-service-destination.js';
import type { HttpRouteSpec } from '../../../config/networking/virtual-service-http.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../../config/object.js';
import { isOfOperator } from '../../operator-object.js';
import { compareAge, compareText } from '../../service-order.js';
import { type CallerFacts, factsOf } from './caller.js';

/** A VirtualService whose names are written out: hosts in full and in lower case, gateways as `<namespace>/<name>`. */
export interface VirtualService {
  readonly key: ObjectKey;
  readonly name: string;
  readonly namespace: string;
  /** Empty for a delegate. */
  readonly hosts: readonly string[];
  /** Its routes are not for narrower hosts of a Gateway: an object that is made from Ingresses, which has one for each host. */
  readonly isForExactHosts?: true;
  /** `mesh` for sidecars. */
  readonly gateways: ReadonlySet<string>;
  /** Namespaces whose proxies use it; `*` is all. */
  readonly exportTo: readonly string[];
  readonly http: readonly HttpRouteSpec[];
  readonly tls: readonly TlsRouteSpec[];
  readonly tcp: readonly TcpRouteSpec[];
  /** RFC 3339; empty when unknown. */
  readonly creationTimestamp: string;
  /** Whether it may route requests of other namespaces to hosts of other namespaces: it is the operator's. */
  readonly isTrusted: boolean;
  /** What the conditions of requests read of callers. */
  readonly facts: CallerFacts;
  /** What the conditions of connections read of callers. */
  readonly connectionFacts: CallerFacts;
  /** Hosts of its destinations, each once. */
  readonly destinationHosts: readonly string[];
}

/** The settings that names and rights depend on. */
export interface VirtualServiceSettings
  extends Pick<MeshConfig, 'rootNamespace' | 'defaultVirtualServiceExportTo' | 'virtualServiceScope'> {
  /** DNS suffix of the cluster. */
  readonly domain: string;
}

export function readVirtualService(object: MeshObject, settings: VirtualServiceSettings): VirtualService {
  const { name, namespace, creationTimestamp = '' } = object.metadata;
  const spec = object.body as VirtualServiceSpec;
  const { domain, defaultVirtualServiceExportTo } = settings;
  const exportTo = spec.exportTo.length > 0 ? spec.exportTo : defaultVirtualServiceExportTo;
  const gateways = spec.gateways.length > 0 ? spec.gateways : [MESH_GATEWAY];
  const scope: NameScope = { namespace, domain };
  return withRoutes({
    key: keyOf(object),
    name,
    namespace,
    hosts: spec.hosts.map((host) => resolveHost(host, namespace, domain)),
    ...(object.derivedFrom === undefined ? {} : { isForExactHosts: true as const }),
    gateways: new Set(gateways.map((gateway) => resolveGatewayName(gateway, namespace))),
    exportTo: exportTo.length === 0 ? ['*'] : exportTo.map((item) => (item === '.' ? namespace : item)),
    http: spec.http.map((route) => resolveHttpRoute(route, scope)),
    tls: spec.tls.map((route) => resolveConnectionRoute(route, scope)),
    tcp: spec.tcp.map((route) => resolveConnectionRoute(route, scope)),
    creationTimestamp,
    isTrusted: mayRouteAnyHost(object, settings),
  });
}

/** Whether the object's routes count for hosts of all namespaces, as far as it is exported. */
export function mayRouteAnyHost(
  object: MeshObject,
  { rootNamespace, virtualServiceScope }: Pick<VirtualServiceSettings, 'rootNamespace' | 'virtualServiceScope'>,
): boolean {
  return virtualServiceScope === 'ALL_NAMESPACES' || isOfOperator(object, rootNamespace);
}

/** Completes an object by what follows from its routes. */
export function withRoutes(
  fields: Omit<VirtualService, 'facts' | 'connectionFacts' | 'destinationHosts'>,
): VirtualService {
  const { http, tls, tcp } = fields;
  const hosts = new Set<string>();
  for (const { route = [], mirror } of http) {
    for (const { destination } of route) hosts.add(destination.host);
    if (mirror !== undefined) hosts.add(mirror.host);
  }
  for (const { route } of [...tls, ...tcp]) for (const { destination } of route) hosts.add(destination.host);
  const facts = factsOf(http.flatMap(({ match = [] }) => match));
  const connectionFacts = factsOf([...tls.flatMap(({ match }) => match), ...tcp.flatMap(({ match = [] }) => match)]);
  return { ...fields, facts, connectionFacts, destinationHosts: [...hosts] };
}

export function isVisibleTo({ exportTo }: VirtualService, namespace: string): boolean {
  return exportTo.includes('*') || exportTo.includes(namespace);
}

/** The order of precedence: the oldest first, then by namespace and name. */
export function comparePrecedence(first: VirtualService, second: VirtualService): number {
  return compareAge(first.creationTimestamp, second.creationTimestamp) || compareText(first.key, second.key);
}

interface NameScope {
  readonly namespace: string;
  readonly domain: string;
}

function resolveHttpRoute(route: HttpRouteSpec, scope: NameScope): HttpRouteSpec {
  const { match, route: destinations, mirror, delegate } = route;
  return {
    ...route,
    ...(match === undefined ? {} : { match: match.map((condition) => resolveCondition(condition, scope)) }),
    ...(destinations === undefined
      ? {}
      : {
          route: destinations.map((each) => ({ ...each, destination: resolveDestination(each.destination, scope) })),
        }),
    ...(mirror === undefined ? {} : { mirror: resolveDestination(mirror, scope) }),
    ...(delegate === undefined
      ? {}
      : { delegate: { name: delegate.name, namespace: delegate.namespace || scope.namespace } }),
  };
}

function resolveConnectionRoute<Route extends TlsRouteSpec | TcpRouteSpec>(route: Route, scope: NameScope): Route {
  return {
    ...route,
    ...(route.match === undefined ? {} : { match: route.match.map((condition) => resolveCondition(condition, scope)) }),
    route: route.route.map((each) => ({ ...each, destination: resolveDestination(each.destination, scope) })),
  };
}

function resolveCondition<Condition extends { readonly gateways?: readonly string[] | undefined }>(
  condition: Condition,
  { namespace }: NameScope,
): Condition {
  const { gateways } = condition;
  if (gateways === undefined) return condition;
  return { ...condition, gateways: gateways.map((gateway) => resolveGatewayName(gateway, namespace)) };
}

function resolveDestination(destination: DestinationSpec, { namespace, domain }: NameScope): DestinationSpec {
  return { ...destination, host: resolveHost(destination.host, namespace, domain) };
}
