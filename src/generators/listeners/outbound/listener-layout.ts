import type { Service } from '../../../model/service.js';
import type { ConnectionMatch } from '../../../model/traffic/connection-route.js';
import type { ListenerPlan, TrafficPlan } from './listener-plan.js';
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
    | { readonly type: 'service'; readonly binding: ListenerBinding }
    | { readonly type: 'unclaimed' };
}

export interface ListenerLayout {
  readonly chains: readonly ChainLayout[];
  /** Takes what no chain matches. */
  readonly rest: ChainLayout | undefined;
  readonly inspectTls: boolean;
  readonly inspectHttp: boolean;
}

/** Redirected connections keep their original destination, so those of no service can be passed on. */
export function layOutListener(plan: ListenerPlan, rules: { readonly sniff: boolean }): ListenerLayout {
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
  const inspectTls = chains.some((chain) => chain.match.serverNames !== undefined);
  const inspectHttp = chains.some((chain) => chain.onlyHttp);
  return { chains, rest: own.rest, inspectTls, inspectHttp };
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
