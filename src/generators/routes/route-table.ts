import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameResource, type MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Finding } from '../../model/finding.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { Port } from '../../model/service.js';
import { inOrderOfRank } from '../../model/service-order.js';
import { egressAt, type TrafficView } from '../../model/traffic/traffic-view.js';
import { portBehind } from '../listeners/egress-port.js';
import { HTTP_PROXY_ROUTE } from '../listeners/http-proxy-part.js';
import type { RoutePlan } from '../plugins/route-plan.js';
import { trafficClass } from '../traffic-class.js';
import type { ServicePort, ViewIndex } from '../view-index.js';
import type { VirtualHostEncoder } from './virtual-host-encoder.js';

export interface RouteTable {
  readonly resource: EncodedResource;
  readonly findings: readonly Finding[];
}

/** What a table is made from. */
export interface RouteTableInput {
  readonly context: PushContext;
  readonly traffic: TrafficView;
  readonly indexOf: (view: ServiceView) => ViewIndex;
  readonly dnsDomain: string;
  /** NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND */
  readonly sniff: boolean;
  /** The joined plan of the plugins; undefined for none. */
  readonly plan: RoutePlan | undefined;
}

interface Destination extends ServicePort {
  readonly withoutPort: boolean;
  /** The port of authorities, where a Sidecar's listener has another port than the service. */
  readonly authorityPort?: number;
}

/** The services of a table, and the part of the view that their routes come from. */
interface TableContent {
  readonly traffic: TrafficView;
  readonly destinations: readonly Destination[];
}

const HTTP_DEFAULT_PORT = 80;

/** Undefined when no listener of the proxy refers to such a table. */
export function tableContentOf(name: RouteName, input: RouteTableInput): TableContent | undefined {
  const { traffic, indexOf, context, sniff } = input;
  const isHttp = ({ port }: ServicePort): boolean => {
    const traffic = trafficClass(port.protocol, sniff);
    return traffic === 'http' || traffic === 'sniffed';
  };
  switch (name.type) {
    case 'port': {
      const listener = egressAt(traffic, name.port, '');
      if (listener === undefined) return undefined;
      const { port: at, traffic: served } = listener;
      if (at !== undefined) return { traffic: served, destinations: behind(served.services, at, isHttp, sniff) };
      const sharing = (indexOf(served.services).byPort.get(name.port) ?? []).filter(isHttp);
      return { traffic: served, destinations: sharing.map((target) => ({ ...target, withoutPort: true })) };
    }
    case 'socket': {
      const served = egressAt(traffic, 0, name.bind)?.traffic;
      return served && { traffic: served, destinations: onAllPorts(served.services, isHttp) };
    }
    case 'service': {
      const service = indexOf(traffic.services).byHost.get(name.hostname);
      const port = service?.ports.find((it) => it.number === name.port && isHttp({ service, port: it }));
      if (service === undefined || port === undefined) return undefined;
      return { traffic, destinations: [{ service, port, withoutPort: true }] };
    }
    case 'httpProxy': {
      if (context.mesh.proxyHttpPort <= 0) return undefined;
      return { traffic, destinations: onAllPorts(traffic.services, isHttp) };
    }
  }
}

/** The services of a Sidecar's listener, each at one port. */
function behind(
  { services }: ServiceView,
  at: Port,
  isHttp: (target: ServicePort) => boolean,
  sniff: boolean,
): readonly Destination[] {
  return services.flatMap((service): readonly Destination[] => {
    const port = portBehind(service, at, sniff);
    if (port === undefined || !isHttp({ service, port })) return [];
    const target = { service, port, withoutPort: true };
    return port.number === at.number ? [target] : [{ ...target, authorityPort: at.number }];
  });
}

/** All HTTP ports of all services, one service per host. A host without a port means port 80. */
function onAllPorts({ services }: ServiceView, isHttp: (target: ServicePort) => boolean): readonly Destination[] {
  return [...new Map(services.map((service) => [service.hostname, service])).values()].flatMap((service) =>
    service.ports
      .filter((port) => isHttp({ service, port }))
      .map((port) => ({ service, port, withoutPort: port.number === HTTP_DEFAULT_PORT })),
  );
}

/**
 * Composes a route table from encoded virtual hosts. Envoy rejects a table in which a domain appears twice, in any
 * case: the oldest service keeps the domain, a Service before a ServiceEntry, and the others keep their remaining
 * domains (docs/reference/metrics.md#push-status, nav_vservice_dup_domain).
 *
 * @param content its destinations: the oldest service first
 */
export function composeRouteTable(
  encoder: MessageEncoder,
  hosts: VirtualHostEncoder,
  name: string,
  { traffic, destinations }: TableContent,
  { context, dnsDomain, plan }: RouteTableInput,
): RouteTable {
  const taken = new Set<string>();
  const findings: Finding[] = [];
  const fields = [encoder.encode(TypeUrl.route, { name, validateClusters: { value: false } })];
  const encoderOfTable = hosts.encoderFor({ mesh: context.mesh, traffic }, dnsDomain, plan);
  const framed = new Map<Destination, Buffer>();
  for (const target of inOrderOfRank(destinations, ({ service }) => service)) {
    const { authorities, field } = encoderOfTable.encode(target, target.withoutPort);
    const lost = new Set<string>();
    for (const authority of authorities) {
      const before = taken.size;
      taken.add(authority);
      if (taken.size === before) lost.add(authority);
    }
    for (const authority of lost) findings.push(duplicateDomain(name, authority, target));
    const kept = lost.size === 0 ? field : encoderOfTable.encodeWithout(target, target.withoutPort, lost);
    if (kept !== undefined) framed.set(target, kept);
  }
  for (const target of destinations) {
    const field = framed.get(target);
    if (field !== undefined) fields.push(field);
  }
  fields.push(hosts.fallback(context.mesh, traffic.unknown, plan));
  return { resource: frameResource(TypeUrl.route, name, Buffer.concat(fields)), findings };
}

function duplicateDomain(table: string, domain: string, { service, port }: ServicePort): Finding {
  return {
    metric: 'nav_vservice_dup_domain',
    key: domain,
    message:
      `route table ${table}: domain ${domain} of ${service.hostname}:${port.number} (${service.source}) ` +
      'belongs to an older service, or to a Service, already; give the services different hosts or addresses',
  };
}

/** The content of a route table, by its name (docs/reference/xds.md#routes). */
export type RouteName =
  | { readonly type: 'port'; readonly port: number }
  | { readonly type: 'service'; readonly hostname: string; readonly port: number }
  | { readonly type: 'socket'; readonly bind: string }
  | { readonly type: 'httpProxy' };

/** Undefined for names of no known form. */
export function parseRouteName(name: string): RouteName | undefined {
  if (name === HTTP_PROXY_ROUTE) return { type: 'httpProxy' };
  if (name.startsWith('unix:')) return { type: 'socket', bind: name };
  const colon = name.lastIndexOf(':');
  const port = parsePort(name.slice(colon + 1));
  if (port === undefined) return undefined;
  return colon < 0 ? { type: 'port', port } : { type: 'service', hostname: name.slice(0, colon), port };
}

function parsePort(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65_535 ? port : undefined;
}
