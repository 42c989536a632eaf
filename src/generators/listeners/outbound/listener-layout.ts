import type { Service } from '../../../model/service.js';
import type { ConnectionMatch, ForwardConnection } from '../../../model/traffic/connection-route.js';
import type { ConnectionRoutes } from '../../../model/traffic/service-routes.js';
import type { ListenerPlan, TrafficPlan } from './listener-plan.js';
import { routeConnections } from './routed-chains.js';
import type { ListenerBinding } from './service-bindings.js';

/** One filter chain: its condition and its target. */
export interface ChainLayout {
  readonly match: ConnectionMatch;
  /** Takes only connections that the inspector recognised as plaintext HTTP. */
  readonly onlyHttp: boolean;
  readonly target:
    | {
        readonly type: 'http';
        readonly routeName: string;
        readonly grpcWeb: boolean;
        /** The only service of the chain; undefined when services share it by host. */
        readonly service: Service | undefined;
      }
    | {
        readonly type: 'service';
        readonly binding: ListenerBinding;
        /** Its connections that an object routes, and the position of the route; absent for all others. */
        readonly routed?: { readonly action: ForwardConnection; readonly position: string };
      }
    | { readonly type: 'unclaimed' };
}

export interface ListenerLayout {
  readonly chains: readonly ChainLayout[];
  /** Takes what no chain matches. */
  readonly rest: ChainLayout | undefined;
  readonly inspectTls: boolean;
  readonly inspectHttp: boolean;
}

/** What the layout depends on beside the plan. */
interface LayoutRules {
  readonly sniff: boolean;
  /** The routes of a binding's connections. */
  readonly routesOf: (binding: ListenerBinding) => ConnectionRoutes;
}

/** Redirected connections keep their original destination, so those of no service can be passed on. */
export function layOutListener(plan: ListenerPlan, rules: LayoutRules): ListenerLayout {
  const chains: ChainLayout[] = [];
  for (const [range, traffic] of plan.ranges) {
    const layout = layOutTraffic(plan, traffic, range, false);
    chains.push(...layout.chains);
    if (layout.rest !== undefined) chains.push(layout.rest);
  }
  const { whole } = plan;
  const competes = whole.byServerName.size > 0 || plan.ranges.size > 0 || (rules.sniff && whole.http.length > 0);
  const passOn = plan.captured && plan.shared && whole.rest === undefined && competes;
  const own = layOutTraffic(plan, whole, '', passOn);
  chains.push(...own.chains);
  const routed = routeConnections({ chains, rest: own.rest }, plan.shared, rules.routesOf);
  const inspectTls = routed.chains.some((chain) => chain.match.serverNames !== undefined);
  const inspectHttp = routed.chains.some((chain) => chain.onlyHttp);
  return { ...routed, inspectTls, inspectHttp };
}

function layOutTraffic(
  plan: ListenerPlan,
  traffic: TrafficPlan,
  range: string,
  passOn: boolean,
): { chains: ChainLayout[]; rest: ChainLayout | undefined } {
  const chains: ChainLayout[] = [];
  const match: ConnectionMatch = range === '' ? {} : { destinationRanges: [range] };
  const anyOf = { match, onlyHttp: false };
  const [firstTls] = traffic.byServerName.values();
  const dedicated = !plan.shared || range !== '';
  // A TLS service that has its address to itself needs no server name, and gets connections without one too.
  const lastTls = dedicated ? firstTls : undefined;
  if (!dedicated || traffic.byServerName.size > 1 || traffic.rest !== undefined) {
    for (const [serverName, binding] of traffic.byServerName) {
      chains.push({ ...anyOf, match: { ...match, serverNames: [serverName] }, target: { type: 'service', binding } });
    }
  }
  const restBinding = traffic.rest ?? lastTls;
  let rest: ChainLayout | undefined;
  if (restBinding !== undefined) rest = { ...anyOf, target: { type: 'service', binding: restBinding } };
  else if (passOn) rest = { ...anyOf, target: { type: 'unclaimed' } };
  const [firstHttp] = traffic.http;
  if (firstHttp !== undefined) {
    const { service, port } = firstHttp;
    const sharedRoutes = plan.port === 0 ? plan.bind : String(plan.port);
    const routeName = dedicated ? `${service.hostname}:${port.number}` : sharedRoutes;
    const grpcWeb = traffic.http.some((binding) => binding.port.protocol === 'grpc-web');
    const target = { type: 'http', routeName, grpcWeb, service: dedicated ? service : undefined } as const;
    if (rest === undefined) rest = { ...anyOf, target };
    else chains.push({ ...anyOf, onlyHttp: true, target });
  }
  return { chains, rest };
}
