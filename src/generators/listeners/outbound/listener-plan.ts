import type { Service } from '../../../model/service.js';
import { type Conflict, MAX_NAMED_HOSTS } from './conflict.js';
import type { ListenerBinding } from './service-bindings.js';

/** The bindings that share the connections of one listener, or of one address range of it. */
export interface TrafficPlan {
  /** HTTP requests, by host. Sniffed bindings are here too, for the HTTP half of their traffic. */
  readonly http: ListenerBinding[];
  /** TLS connections by server name, in lower case. */
  readonly byServerName: Map<string, ListenerBinding>;
  /** Takes all other connections. */
  rest: ListenerBinding | undefined;
}

/** All bindings at one listener address. */
export interface ListenerPlan {
  /** `<address>_<port>` */
  readonly name: string;
  readonly bind: string;
  /** 0 for a unix socket. */
  readonly port: number;
  readonly shared: boolean;
  /** Whether its connections are redirected to the proxy. Otherwise it binds the port. */
  readonly captured: boolean;
  readonly whole: TrafficPlan;
  /** By CIDR. Envoy matches ranges first, so they do not compete with `whole`. */
  readonly ranges: Map<string, TrafficPlan>;
}

export interface OutboundPlan {
  /** By `<address>_<port>`, in order of first binding. */
  readonly listeners: ReadonlyMap<string, ListenerPlan>;
  readonly conflicts: readonly Conflict[];
}

/** Addresses that bindings cannot have. */
export interface TakenAddresses {
  /** Addresses of listeners that are not for services: `<address>_<port>` to the name of their owner. */
  readonly reserved: ReadonlyMap<string, string>;
  /** The Service with this cluster IP, which no ServiceEntry can take. */
  ownerOf(address: string): Service | undefined;
}

/**
 * Decides which service gets which connections: the oldest of several that compete. With sniffing, HTTP services and
 * one TCP service can share a port of an address: requests are routed by Host header, all other connections go to the
 * TCP service.
 *
 * @param bindings oldest service first
 * @param sniff NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND
 */
export function planListeners(
  bindings: Iterable<ListenerBinding>,
  { reserved, ownerOf }: TakenAddresses,
  sniff: boolean,
): OutboundPlan {
  const listeners = new Map<string, ListenerPlan>();
  const conflicts: Conflict[] = [];
  for (const binding of bindings) {
    const name = binding.listener;
    const owner = reserved.get(name);
    if (owner !== undefined) {
      const rejectedAs = binding.traffic === 'http' ? 'HTTP' : 'TCP';
      const accepted = { acceptedAs: 'TCP', accepted: [owner], acceptedCount: 1, isReserved: true } as const;
      conflicts.push({ rejected: binding, rejectedAs, ...accepted });
      continue;
    }
    // A listener at the address would take the connections to that Service from the shared listener of the port.
    const holder = !binding.shared && binding.service.registry === 'External' ? ownerOf(binding.bind) : undefined;
    if (holder !== undefined && holder.hostname !== binding.service.hostname) {
      const rejectedAs = binding.traffic === 'http' ? 'HTTP' : 'TCP';
      conflicts.push({
        rejected: binding,
        rejectedAs,
        acceptedAs: 'TCP',
        accepted: [holder.hostname],
        acceptedCount: 1,
      });
      continue;
    }
    let listener = listeners.get(name);
    if (listener === undefined) {
      const { bind, listenerPort: port, shared, captured } = binding;
      listener = { name, bind, port, shared, captured, whole: emptyPlan(), ranges: new Map() };
      listeners.set(name, listener);
    }
    const conflict = admit(planFor(listener, binding.range), binding, sniff && binding.shared && binding.range === '');
    if (conflict !== undefined) conflicts.push(conflict);
  }
  return { listeners, conflicts };
}

function planFor(listener: ListenerPlan, range: string): TrafficPlan {
  if (range === '') return listener.whole;
  const known = listener.ranges.get(range);
  if (known !== undefined) return known;
  const plan = emptyPlan();
  listener.ranges.set(range, plan);
  return plan;
}

function emptyPlan(): TrafficPlan {
  return { http: [], byServerName: new Map(), rest: undefined };
}

/**
 * Admits the binding as far as the plan has room for it; returns the conflict, if there is one.
 *
 * @param mixes whether HTTP and other traffic are told apart here, so that both can be served
 */
function admit(plan: TrafficPlan, binding: ListenerBinding, mixes: boolean): Conflict | undefined {
  switch (binding.traffic) {
    case 'http': {
      if (plan.rest?.traffic === 'tcp' && !mixes) return overTcp(binding, 'HTTP', plan.rest);
      plan.http.push(binding);
      return undefined;
    }
    case 'tcp': {
      if (plan.rest !== undefined) return overTcp(binding, 'TCP', plan.rest);
      const conflict = mixes ? undefined : overHttp(binding, plan.http);
      if (conflict === undefined) plan.rest = binding;
      return conflict;
    }
    case 'tls': {
      const serverName = binding.service.hostname.toLowerCase();
      const older = plan.byServerName.get(serverName);
      if (older !== undefined) return overTcp(binding, 'TCP', older);
      // Envoy would wait for the server name, which deadlocks clients of the older service if its server speaks first.
      if (plan.rest?.traffic === 'tcp') return overTcp(binding, 'TCP', plan.rest);
      plan.byServerName.set(serverName, binding);
      return undefined;
    }
    case 'sniffed': {
      const { rest } = plan;
      // Only a shared listener has one route table for all hosts of its port.
      if (rest !== undefined && !mixes) return overTcp(binding, 'TCP', rest);
      plan.http.push(binding);
      if (rest !== undefined) return overTcp(binding, 'TCP', rest);
      plan.rest = binding;
      return undefined;
    }
  }
}

function overTcp(rejected: ListenerBinding, rejectedAs: 'HTTP' | 'TCP', older: ListenerBinding): Conflict {
  return { rejected, rejectedAs, acceptedAs: 'TCP', accepted: [older.service.hostname], acceptedCount: 1 };
}

function overHttp(rejected: ListenerBinding, older: readonly ListenerBinding[]): Conflict | undefined {
  if (older.length === 0) return undefined;
  const accepted = older.slice(0, MAX_NAMED_HOSTS).map((binding) => binding.service.hostname);
  return { rejected, rejectedAs: 'TCP', acceptedAs: 'HTTP', accepted, acceptedCount: older.length };
}
