import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { VIRTUAL_INBOUND_LISTENER, VIRTUAL_OUTBOUND_LISTENER } from '../../../envoy/names.js';
import type { PushContext, ServiceView } from '../../../model/push-context.js';
import { inOrderOfRank } from '../../../model/service-order.js';
import { clusterOfPort } from '../../../model/traffic/mesh-traffic.js';
import { loopbackAddress, wildcardAddresses } from '../../address-families.js';
import { outboundDiscovery } from '../../clusters/outbound-discovery.js';
import type { ResourcePart, Scope } from '../../generator.js';
import type { GeneratorSettings } from '../../settings.js';
import type { FilterFactory } from '../filter-factory.js';
import { httpProxyListenerName } from '../http-proxy-part.js';
import { VIRTUAL_INBOUND_PORT } from '../inbound/inbound-port.js';
import type { ListenerFacts } from '../listener-facts.js';
import { createAddressOwners } from './address-owners.js';
import type { Claim } from './claim.js';
import { conflictFinding } from './conflict.js';
import { planListeners } from './listener-plan.js';
import { createOutboundChains } from './outbound-chains.js';
import { createOutboundListenerBuilder } from './outbound-listener.js';
import { type ClaimRules, createServiceClaims, type ServiceClaims } from './service-claims.js';

/** What the outbound listeners of a sidecar depend on. */
export interface OutboundScope extends Scope {
  /** Whose view of the services it is, and where; the key has the view's id. */
  readonly namespace: string;
  readonly cluster: string | undefined;
  readonly facts: ListenerFacts;
  readonly captured: boolean;
  /** Metadata DNS_CAPTURE: the made-up addresses of ServiceEntries are in use. */
  readonly autoAddresses: boolean;
  /** Ports that the workload itself listens on, when the sidecar binds ports beside it. */
  readonly ownPorts: readonly number[];
}

/**
 * A sidecar's listeners for the services of its view (BEHAVIOUR 5, "Sidecar listeners"). Conflicts are decided
 * oldest service first and reported (BEHAVIOUR 1).
 */
export function createOutboundPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  filters: FilterFactory,
): ResourcePart<OutboundScope> {
  const buildListener = createOutboundListenerBuilder(encoder, createOutboundChains(encoder, filters, settings));
  const { edsForHeadlessServices } = settings;
  const claimsFor = createServiceClaims();
  const ownersOf = createAddressOwners();
  return {
    name: 'outbound',
    scope: (context, proxy) => {
      if (proxy.type !== 'sidecar') return undefined;
      const namespace = proxy.configNamespace;
      const { clusterId: cluster } = proxy.metadata;
      const view = context.viewIn(namespace, cluster);
      const facts = filters.factsOf(context, proxy);
      const captured = proxy.metadata.interceptionMode !== 'NONE';
      const autoAddresses = captured && (proxy.metadata.dnsCapture ?? false);
      const ownPorts = captured ? [] : ownPortsOf(context, proxy);
      const flags = `${captured ? 'captured' : 'bound'}|${autoAddresses ? 'auto' : ''}|${ownPorts.join(',')}`;
      return { key: `${view.id}|${facts.key}|${flags}`, namespace, cluster, facts, captured, autoAddresses, ownPorts };
    },
    generate: (context, scope) => {
      const { facts, captured, autoAddresses } = scope;
      const { mesh, traffic } = context;
      const [wildcard, ...additional] = wildcardAddresses(facts.families);
      const sharedBind = captured ? wildcard : loopbackAddress(facts.families);
      const rules: ClaimRules = {
        families: facts.families,
        sharedBind,
        captured,
        autoAddresses,
        discovers: (service, port) => {
          const { policy } = clusterOfPort(traffic.clustersOf(service), port.number);
          return outboundDiscovery(service, policy, 'sidecar', edsForHeadlessServices) !== 'originalDestination';
        },
        sniff: settings.sniffOutbound,
        podListeners: settings.headlessPodListeners,
      };
      const view = context.viewIn(scope.namespace, scope.cluster);
      const plan = planListeners(
        claimsOf(claimsFor, context, view, rules),
        { reserved: reservedListeners(context, scope, sharedBind), ownerOf: (address) => ownersOf(view).get(address) },
        settings.sniffOutbound,
      );
      const additionalAddresses = captured ? additional : [];
      const key = `${facts.key}|${captured}`;
      const listenerContext = {
        mesh,
        traffic,
        facts,
        captured,
        sniff: settings.sniffOutbound,
        additionalAddresses,
        key,
      };
      const resources = [...plan.listeners.values()].map((listener) => buildListener(listener, listenerContext));
      return { resources, findings: plan.conflicts.map(conflictFinding) };
    },
  };
}

function* claimsOf(
  claimsFor: ServiceClaims,
  context: PushContext,
  view: ServiceView,
  rules: ClaimRules,
): Iterable<Claim> {
  for (const service of inOrderOfRank(view.services, (each) => each)) yield* claimsFor(context, service, rules);
}

/** Addresses that the sidecar needs itself: Envoy refuses a second listener at the same address. */
function reservedListeners(context: PushContext, scope: OutboundScope, bind: string): ReadonlyMap<string, string> {
  const { mesh } = context;
  const reserved = new Map<string, string>();
  if (scope.captured) {
    reserved.set(`${bind}_${mesh.proxyListenPort}`, VIRTUAL_OUTBOUND_LISTENER);
    reserved.set(`${bind}_${VIRTUAL_INBOUND_PORT}`, VIRTUAL_INBOUND_LISTENER);
  } else {
    for (const port of scope.ownPorts) reserved.set(`${bind}_${port}`, 'the workload itself');
    reserved.set(`${bind}_${mesh.defaultConfig.proxyAdminPort}`, 'the admin interface');
    reserved.set(`${bind}_${mesh.defaultConfig.statusPort}`, 'the status port');
  }
  if (mesh.proxyHttpPort > 0) reserved.set(httpProxyListenerName(mesh, scope.facts.families), 'the HTTP proxy');
  return reserved;
}

function ownPortsOf(context: PushContext, proxy: Parameters<PushContext['targetsOf']>[0]): number[] {
  const ports = new Set(context.targetsOf(proxy).map((target) => target.targetPort));
  return [...ports].sort((a, b) => a - b);
}
