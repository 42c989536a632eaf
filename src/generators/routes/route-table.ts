import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { Port } from '../../model/service.js';
import type { RouteInputs } from '../../model/traffic/service-routes.js';
import { egressAt, type TrafficView } from '../../model/traffic/traffic-view.js';
import { portBehind } from '../listeners/egress-port.js';
import { HTTP_PROXY_ROUTE } from '../listeners/http-proxy-part.js';
import type { DestinationPlan } from '../plugins/route-destinations.js';
import type { RoutePlan } from '../plugins/route-plan.js';
import { trafficClass } from '../traffic-class.js';
import type { ServicePort, ViewIndex } from '../view-index.js';
import type { HostTarget } from './virtual-host-encoder.js';

/** What a table is made from. */
export interface RouteTableInput {
  readonly context: PushContext;
  readonly traffic: TrafficView;
  /** The caller, and the timeout of requests. */
  readonly inputs: RouteInputs;
  readonly indexOf: (view: ServiceView) => ViewIndex;
  readonly dnsDomain: string;
  /** NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND */
  readonly sniff: boolean;
  /** The joined plan of the plugins; undefined for none. */
  readonly plan: RoutePlan | undefined;
  /** Of a proxy that asks for clusters when a request needs them; undefined for others. */
  readonly unasked: ((plan: DestinationPlan) => DestinationPlan) | undefined;
}

const HTTP_DEFAULT_PORT = 80;

/** Undefined when no listener of the proxy refers to such a table. */
export function targetsOf(name: RouteName, input: RouteTableInput): Iterable<HostTarget> | undefined {
  const { traffic, inputs, indexOf, context, sniff } = input;
  const isHttp = ({ port }: ServicePort): boolean => {
    const traffic = trafficClass(port.protocol, sniff);
    return traffic === 'http' || traffic === 'sniffed';
  };
  switch (name.type) {
    case 'port': {
      const listener = egressAt(traffic, name.port, '');
      if (listener === undefined) return undefined;
      const { port: at, traffic: served } = listener;
      const others = otherHostsAt(served, name.port, inputs);
      if (at !== undefined) return [...behind(served, at, isHttp, input), ...others];
      const sharing = (indexOf(served.services).byPort.get(name.port) ?? []).filter(isHttp);
      return inTurn(sharing, (target) => targetOf(served, target, inputs, true), others);
    }
    case 'socket': {
      const served = egressAt(traffic, 0, name.bind)?.traffic;
      return served && onAllPorts(served, isHttp, inputs);
    }
    case 'service': {
      const service = indexOf(traffic.services).byHost.get(name.hostname);
      const port = service?.ports.find((it) => it.number === name.port && isHttp({ service, port: it }));
      if (service === undefined || port === undefined) return undefined;
      return [targetOf(traffic, { service, port }, inputs, true)];
    }
    case 'httpProxy': {
      if (context.mesh.proxyHttpPort <= 0) return undefined;
      return onAllPorts(traffic, isHttp, inputs);
    }
  }
}

/** The targets of services, each made when it is needed: the first of a service takes some time. Then other targets. */
function* inTurn(
  services: readonly ServicePort[],
  make: (target: ServicePort) => HostTarget,
  others: readonly HostTarget[],
): Iterable<HostTarget> {
  for (const each of services) yield make(each);
  yield* others;
}

function targetOf(
  traffic: TrafficView,
  { service, port }: ServicePort,
  inputs: RouteInputs,
  withoutPort: boolean,
): HostTarget {
  const host = traffic.virtualHostOf(service, port, inputs);
  return { hostname: service.hostname, service, port: port.number, withoutPort, host };
}

function otherHostsAt(traffic: TrafficView, port: number, inputs: RouteInputs): readonly HostTarget[] {
  return traffic
    .otherHostsAt(port, inputs)
    .map(({ hostname, virtualHost: host }) => ({ hostname, service: undefined, port, withoutPort: true, host }));
}

/** The services of a Sidecar's listener, each at one port. */
function behind(
  traffic: TrafficView,
  at: Port,
  isHttp: (target: ServicePort) => boolean,
  { inputs, sniff }: RouteTableInput,
): readonly HostTarget[] {
  return traffic.services.services.flatMap((service): readonly HostTarget[] => {
    const port = portBehind(service, at, sniff);
    if (port === undefined || !isHttp({ service, port })) return [];
    return [{ ...targetOf(traffic, { service, port }, inputs, true), port: at.number }];
  });
}

/** All HTTP ports of all hosts, one service per host. A host without a port means port 80. */
function onAllPorts(
  traffic: TrafficView,
  isHttp: (target: ServicePort) => boolean,
  inputs: RouteInputs,
): readonly HostTarget[] {
  const services = new Map(traffic.services.services.map((service) => [service.hostname, service]));
  const targets = [...services.values()].flatMap((service) =>
    service.ports
      .filter((port) => isHttp({ service, port }))
      .map((port) => targetOf(traffic, { service, port }, inputs, port.number === HTTP_DEFAULT_PORT)),
  );
  return [...targets, ...otherHostsAt(traffic, HTTP_DEFAULT_PORT, inputs)];
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
