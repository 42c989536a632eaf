import type { Service } from '../../../model/service.js';
import { type Conflict, MAX_NAMED_HOSTS } from './conflict.js';
import type { ListenerBinding } from './service-bindings.js';

/** Who gets the connections of one listener, or of one address range of it. */
export interface TrafficPlan {
  /** HTTP requests, by host. Sniffed bindings are here too, for the HTTP half of their traffic. */
  readonly http: ListenerBinding[];
  /** TLS connections by server name, in lower case. */
  readonly byServerName: Map<string, ListenerBinding>;
  /** Whatever the others do not take. */
  rest: ListenerBinding | undefined;
}

/** Everything that one listener address is wanted for. */
export interface ListenerPlan {
  /** `<address>_<port>` */
  readonly name: string;
  readonly bind: string;
  readonly port: number;
  readonly shared: boolean;
  readonly whole: TrafficPlan;
  /** By CIDR. Ranges are matched before anything else, so they do not compete with `whole`. */
  readonly ranges: Map<string, TrafficPlan>;
}

export interface OutboundPlan {
  /** By `<address>_<port>`, in order of first binding. */
  readonly listeners: ReadonlyMap<string, ListenerPlan>;
  readonly conflicts: readonly Conflict[];
}

/** Addresses that bindings cannot have. */
export interface TakenAddresses {
  /** What is not for services: `<address>_<port>` to the name of what has it. */
  readonly reserved: ReadonlyMap<string, string>;
  /** The Service whose cluster IP an address is: no ServiceEntry takes it. */
  ownerOf(address: string): Service | undefined;
}

/**
 * Decides which service gets which connections; the oldest keeps what several want. With sniffing, services of HTTP and
 * one of TCP share the port of an address that they share: requests go by their Host header, all else to the TCP service.
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
      conflicts.push({ rejected: binding, rejectedAs, acceptedAs: 'TCP', accepted: [owner], acceptedCount: 1 });
      continue;
    }
    // A listener at the address would take what the shared one of its port has for that Service.
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
      const { bind, port, shared } = binding;
      listener = { name, bind, port: port.number, shared, whole: emptyPlan(), ranges: new Map() };
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
 * Gives the binding what is still free; returns what it was refused, if anything.
 *
 * @param mixes whether HTTP is told from other traffic here, so that both can be served
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
      // Reading server names would make the older service's clients wait where the server speaks first.
      if (plan.rest?.traffic === 'tcp') return overTcp(binding, 'TCP', plan.rest);
      plan.byServerName.set(serverName, binding);
      return undefined;
    }
    case 'sniffed': {
      const { rest } = plan;
      // Alone at its address it has a table of its own; sharing, it joins the others' by host.
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
