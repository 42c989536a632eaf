import { collectInSteps, inOneStep, type Steps } from '../../../base/steps.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { VIRTUAL_INBOUND_LISTENER, VIRTUAL_OUTBOUND_LISTENER } from '../../../envoy/names.js';
import { memoize } from '../../../model/memo.js';
import type { PushContext, ServiceView } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { inOrderOfRank } from '../../../model/service-order.js';
import { clusterOfPort } from '../../../model/traffic/mesh-traffic.js';
import { type EgressListener, egressAt, type TrafficView } from '../../../model/traffic/traffic-view.js';
import type { Caller } from '../../../model/traffic/virtual-services/caller.js';
import { loopbackAddress, parseServiceAddress, wildcardAddresses } from '../../address-families.js';
import { outboundDiscovery } from '../../clusters/outbound-cluster.js';
import type { Generated, ResourcePart, Scope } from '../../generator.js';
import type { GeneratorSettings } from '../../settings.js';
import type { FilterFactory } from '../filter-factory.js';
import { httpProxyListenerName } from '../http-proxy-part.js';
import { VIRTUAL_INBOUND_PORT } from '../inbound/inbound-ports.js';
import type { ListenerDependencies } from '../listener-dependencies.js';
import { conflictFinding } from './conflict.js';
import { planListeners } from './listener-plan.js';
import { createOutboundChains } from './outbound-chains.js';
import { createOutboundListenerBuilder } from './outbound-listener.js';
import {
  type BindingRules,
  createServiceBindings,
  type ListenerBinding,
  type ServiceBindings,
} from './service-bindings.js';

/** The inputs of the outbound listeners of a sidecar. */
export interface OutboundScope extends Scope {
  readonly traffic: TrafficView;
  /** The proxy, as far as routes of connections read it. */
  readonly caller: Caller;
  readonly dependencies: ListenerDependencies;
  readonly captured: boolean;
  /** Metadata DNS_CAPTURE: automatic addresses of ServiceEntries are in use. */
  readonly autoAddresses: boolean;
  /** Ports that the workload itself listens on, where the sidecar binds ports beside it. */
  readonly ownPorts: readonly number[];
}

/**
 * The outbound listeners of a sidecar (docs/reference/xds.md#sidecar-listeners). The oldest service wins a conflict,
 * which is reported (docs/reference/xds.md#listener-conflicts).
 */
export function createOutboundPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  filters: FilterFactory,
): ResourcePart<OutboundScope> {
  const buildListener = createOutboundListenerBuilder(encoder, createOutboundChains(encoder, filters, settings));
  const { edsForHeadlessServices } = settings;
  const bindingsFor = createServiceBindings();
  const ownersOf = createAddressOwners();
  const generateInSteps = function* (context: PushContext, scope: OutboundScope): Steps<Generated> {
    const { dependencies, captured, autoAddresses, traffic, caller } = scope;
    const { mesh } = context;
    const [wildcard, ...additional] = wildcardAddresses(dependencies.families);
    const loopback = loopbackAddress(dependencies.families);
    const common: Omit<BindingRules, 'sharedBind' | 'onlyShared' | 'at' | 'captured'> = {
      families: dependencies.families,
      autoAddresses,
      discovers: (service, port) => {
        const { policy } = clusterOfPort(traffic.clustersOf(service), port.number);
        return outboundDiscovery(service, policy, 'sidecar', edsForHeadlessServices) !== 'originalDestination';
      },
      sniff: settings.sniffOutbound,
      podListeners: settings.headlessPodListeners,
    };
    const rulesOf = ({ port, bind, captureMode }: EgressListener): BindingRules => {
      const isCaptured = captured && captureMode !== 'NONE' && !bind.startsWith('unix:');
      const sharedBind = bind === '' ? (isCaptured ? wildcard : loopback) : bind;
      return { ...common, sharedBind, onlyShared: bind !== '', at: port, captured: isCaptured };
    };
    const plan = planListeners(
      yield* collectInSteps(bindingsOf(bindingsFor, context, traffic, rulesOf), BINDINGS_AT_ONCE),
      {
        reserved: reservedListeners(context, scope, wildcard, loopback),
        ownerOf: (address) => ownersOf(traffic.services).get(address),
      },
      settings.sniffOutbound,
    );
    const listenerContext = {
      mesh,
      traffic,
      caller,
      dependencies,
      sniff: settings.sniffOutbound,
      additionalAddresses: additional,
      key: `${dependencies.key}|${traffic.unknown.id}`,
    };
    const resources: EncodedResource[] = [];
    for (const listener of plan.listeners.values()) {
      const served = egressAt(traffic, listener.port, listener.bind)?.traffic ?? traffic;
      resources.push(buildListener(listener, { ...listenerContext, traffic: served }));
      if (resources.length % LISTENERS_AT_ONCE === 0) yield;
    }
    return { resources, findings: plan.conflicts.map(conflictFinding) };
  };

  return {
    name: 'outbound',
    scope: (context, proxy) => {
      if (proxy.type !== 'sidecar') return undefined;
      const traffic = context.trafficOf(proxy);
      const caller = traffic.connectionCallerOf(proxy);
      const dependencies = filters.dependenciesOf(context, proxy);
      const captured = proxy.metadata.interceptionMode !== 'NONE';
      const autoAddresses = captured && (proxy.metadata.dnsCapture ?? false);
      const bindsPorts =
        !captured || traffic.egress.some(({ bind, captureMode }) => captureMode === 'NONE' || bind !== '');
      const ownPorts = bindsPorts ? ownPortsOf(context, proxy) : [];
      const flags = `${captured ? 'captured' : 'bound'}|${autoAddresses ? 'auto' : ''}|${ownPorts.join(',')}`;
      return {
        key: `${traffic.connectionsId}|${caller.key}|${dependencies.key}|${flags}`,
        traffic,
        caller,
        dependencies,
        captured,
        autoAddresses,
        ownPorts,
      };
    },
    generate: (context, scope) => inOneStep(generateInSteps(context, scope)),
    generateInSteps,
  };
}

/** Bindings that are found, and listeners that are built, in one step. */
const BINDINGS_AT_ONCE = 128;
const LISTENERS_AT_ONCE = 16;

function* bindingsOf(
  bindingsFor: ServiceBindings,
  context: PushContext,
  { egress }: TrafficView,
  rulesOf: (listener: EgressListener) => BindingRules,
): Iterable<ListenerBinding> {
  const taken = new Set(egress.map(({ port }) => port?.number));
  for (const listener of egress) {
    const { port, traffic } = listener;
    const rules = rulesOf(listener);
    for (const service of inOrderOfRank(traffic.services.services, (each) => each)) {
      const bindings = bindingsFor(context, traffic, service, rules);
      if (port !== undefined || taken.size === 1) yield* bindings;
      // A listener of the Sidecar has its port to itself.
      else for (const binding of bindings) if (!taken.has(binding.listenerPort)) yield binding;
    }
  }
}

/** Addresses of listeners of the sidecar itself: Envoy rejects a second listener at the same address. */
function reservedListeners(
  { mesh }: PushContext,
  scope: OutboundScope,
  wildcard: string,
  loopback: string,
): ReadonlyMap<string, string> {
  const reserved = new Map<string, string>();
  if (scope.captured) {
    reserved.set(`${wildcard}_${mesh.proxyListenPort}`, VIRTUAL_OUTBOUND_LISTENER);
    reserved.set(`${wildcard}_${VIRTUAL_INBOUND_PORT}`, VIRTUAL_INBOUND_LISTENER);
  }
  for (const port of scope.ownPorts) reserved.set(`${loopback}_${port}`, 'the workload itself');
  reserved.set(`${loopback}_${mesh.defaultConfig.proxyAdminPort}`, 'the admin interface');
  reserved.set(`${loopback}_${mesh.defaultConfig.statusPort}`, 'the status port');
  if (mesh.proxyHttpPort > 0) reserved.set(httpProxyListenerName(mesh, scope.dependencies.families), 'the HTTP proxy');
  return reserved;
}

/** The ports of loopback that the workload listens on, or a listener of its Sidecar's ingress. */
function ownPortsOf(context: PushContext, proxy: Parameters<PushContext['targetsOf']>[0]): number[] {
  const ports = context.inboundOf(proxy).flatMap(({ targetPort, ingress }) => {
    if (ingress === undefined) return [targetPort];
    return isLoopback(ingress.bind) ? [ingress.port, targetPort] : [ingress.port];
  });
  return [...new Set(ports)].sort((a, b) => a - b);
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

const ALL_FAMILIES = { ipv4: true, ipv6: true };

/** The Services of a view by their cluster IPs; found once for as long as the view lives. */
function createAddressOwners(): (view: ServiceView) => ReadonlyMap<string, Service> {
  return memoize(findOwners);
}

function findOwners({ services }: ServiceView): ReadonlyMap<string, Service> {
  const owners = new Map<string, Service>();
  for (const service of services) {
    if (service.registry === 'External') continue;
    for (const text of service.addresses) {
      const address = parseServiceAddress(text, ALL_FAMILIES);
      if (address !== undefined && 'ip' in address && !owners.has(address.ip)) owners.set(address.ip, service);
    }
  }
  return owners;
}
