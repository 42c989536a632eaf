import { createMemo } from '../../../model/memo.js';
import type { PushContext } from '../../../model/push-context.js';
import type { Port, Protocol, Service } from '../../../model/service.js';
import { endpointsOf } from '../../../model/snapshot/endpoints-of.js';
import type { TrafficView } from '../../../model/traffic/traffic-view.js';
import { type AddressFamilies, parseServiceAddress } from '../../address-families.js';
import { type TrafficClass, trafficClass } from '../../traffic-class.js';
import { portBehind } from '../egress-port.js';

/** One port of a service at one listener address. */
export interface ListenerBinding {
  readonly service: Service;
  readonly port: Port;
  readonly traffic: Exclude<TrafficClass, 'none'>;
  /** Name of the listener: `<address>_<port>`, or the address of a unix socket. */
  readonly listener: string;
  /** The address of the listener; `unix://` and a path for a socket. */
  readonly bind: string;
  /** The port of the listener, which a Sidecar may set; 0 for a socket. */
  readonly listenerPort: number;
  /** Whether the connections are redirected to the proxy. Otherwise it binds the port. */
  readonly captured: boolean;
  /** Whether other services share that address: wildcard and loopback listeners. */
  readonly shared: boolean;
  /** Only connections to this range of a shared listener; empty for all of them. */
  readonly range: string;
}

/** The listener addresses of the ports of a service. */
export type ServiceBindings = (
  context: PushContext,
  traffic: TrafficView,
  service: Service,
  rules: BindingRules,
) => readonly ListenerBinding[];

/** The rules that decide at which addresses a sidecar listens for a service. */
export interface BindingRules {
  readonly families: AddressFamilies;
  /** Address of the listeners that services share: the wildcard, loopback where it is bound, or that of a Sidecar. */
  readonly sharedBind: string;
  /** Whether services have no listeners at their own addresses, because a Sidecar gives an address. */
  readonly onlyShared: boolean;
  /** The port of a Sidecar's listener; undefined: the ports of the services. */
  readonly at: Port | undefined;
  /**
   * False when the sidecar binds its ports (INTERCEPTION_MODE NONE): clients cannot connect to the address of a
   * service.
   */
  readonly captured: boolean;
  /** Automatic addresses of ServiceEntries are in use (metadata DNS_CAPTURE). */
  readonly autoAddresses: boolean;
  /**
   * Whether the proxy gets the endpoints of a service, rather than keep the address that its application connected to.
   */
  readonly discovers: (service: Service, port: Port) => boolean;
  /** NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND */
  readonly sniff: boolean;
  /** NAV_ENABLE_HEADLESS_SERVICE_POD_LISTENERS */
  readonly podListeners: boolean;
}

/** Remembers bindings for as long as their service stays the same, except those at pods, which follow the endpoints. */
export function createServiceBindings(): ServiceBindings {
  const memo = createMemo<readonly ListenerBinding[]>();
  return (context, traffic, service, rules) => {
    if (readsEndpoints(service)) return serviceBindings(context, service, rules);
    const { families, captured, autoAddresses, onlyShared, at } = rules;
    const place = `${rules.sharedBind}|${onlyShared}|${at?.number ?? ''}|${at?.protocol ?? ''}`;
    const key = `${place}|${families.ipv4}|${families.ipv6}|${captured}|${autoAddresses}`;
    return memo.of([context.mesh, traffic.clustersOf(service)], key, () => serviceBindings(context, service, rules));
  };
}

/**
 * HTTP ports share one listener per port number. Other ports listen at the addresses of the service, at those of its
 * pods when it is headless, or share a listener when it has no address (docs/reference/xds.md#sidecar-listeners).
 */
function serviceBindings(context: PushContext, service: Service, rules: BindingRules): ListenerBinding[] {
  const bindings: ListenerBinding[] = [];
  const { captured, onlyShared } = rules;
  for (const { port, listenerPort, protocol } of portsOf(service, rules)) {
    const traffic = trafficClass(protocol, rules.sniff);
    if (traffic === 'none') continue;
    const at = (bind: string) => {
      const listener = listenerPort === 0 ? bind : `${bind}_${listenerPort}`;
      return { service, port, traffic, listener, bind, listenerPort, captured };
    };
    const shared = { ...at(rules.sharedBind), shared: true };
    if (traffic === 'http' || !captured || onlyShared) {
      // A connection to a bound port has no original destination: only a service with known endpoints can take it.
      if (traffic === 'http' || captured || rules.discovers(service, port)) bindings.push({ ...shared, range: '' });
      continue;
    }
    if (rules.podListeners && readsEndpoints(service) && isPodTraffic(traffic)) {
      for (const bind of podAddresses(context, service, port, rules.families)) {
        bindings.push({ ...at(bind), shared: false, range: '' });
      }
      continue;
    }
    const addresses = addressesOf(service, rules.autoAddresses);
    if (addresses.length === 0) bindings.push({ ...shared, range: '' });
    for (const text of addresses) {
      const address = parseServiceAddress(text, rules.families);
      if (address === undefined) continue;
      if ('cidr' in address) bindings.push({ ...shared, range: address.cidr });
      else bindings.push({ ...at(address.ip), shared: false, range: '' });
    }
  }
  return bindings;
}

/** The ports of a service that have listeners, each with the port and the protocol of its listener. */
function portsOf(
  service: Service,
  { at, sniff }: BindingRules,
): readonly { readonly port: Port; readonly listenerPort: number; readonly protocol: Protocol }[] {
  if (at === undefined) {
    return service.ports.map((port) => ({ port, listenerPort: port.number, protocol: port.protocol }));
  }
  const port = portBehind(service, at, sniff);
  if (port === undefined) return [];
  const own = trafficClass(port.protocol, sniff);
  // A port of bytes has no route table, so a listener that recognizes protocols takes all of its connections as bytes.
  const isBytes = trafficClass(at.protocol, sniff) === 'sniffed' && (own === 'tcp' || own === 'tls');
  return [{ port, listenerPort: at.number, protocol: isBytes ? port.protocol : at.protocol }];
}

/** Whether clients reach a service at the addresses of its pods. */
export function readsEndpoints(service: Service): boolean {
  return service.headless && service.registry === 'Orchestrator';
}

function isPodTraffic(traffic: TrafficClass): boolean {
  return traffic === 'tcp' || traffic === 'sniffed';
}

function addressesOf(service: Service, autoAddresses: boolean): readonly string[] {
  // Some registries give 0.0.0.0 to services without an address of their own.
  const addresses = service.addresses.filter((address) => address !== '0.0.0.0' && address !== '::');
  if (addresses.length > 0 || service.autoAddress === undefined || !autoAddresses) return addresses;
  // A proxy that keeps the original destination cannot reach an address that does not exist.
  return service.resolution === 'passthrough' ? [] : [service.autoAddress];
}

function podAddresses(context: PushContext, service: Service, port: Port, families: AddressFamilies): Set<string> {
  const addresses = new Set<string>();
  for (const endpoints of endpointsOf(context, service)?.shards.values() ?? []) {
    for (const endpoint of endpoints) {
      if (endpoint.portName !== port.name) continue;
      const address = parseServiceAddress(endpoint.address, families);
      if (address !== undefined && 'ip' in address) addresses.add(address.ip);
    }
  }
  return addresses;
}
