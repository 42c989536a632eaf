import { duration } from '../../../envoy/durations.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { VIRTUAL_INBOUND_LISTENER } from '../../../envoy/names.js';
import type { InterceptionMode } from '../../../model/proxy.js';
import type { ServiceView } from '../../../model/push-context.js';
import { wildcardAddresses } from '../../address-families.js';
import type { ResourcePart, Scope } from '../../generator.js';
import type { GeneratorSettings } from '../../settings.js';
import type { ViewIndex } from '../../view-index.js';
import type { FilterFactory } from '../filter-factory.js';
import { socketAddress } from '../listener-addresses.js';
import { composeListener, type ListenerParts } from '../listener-bytes.js';
import { type ListenerFacts, listenerFactsOf } from '../listener-facts.js';
import { httpInspectorFilter, originalDstFilter } from '../listener-filters.js';
import { inboundBlackHoleChain, inboundPassthroughChains, inboundPortChains } from './inbound-chains.js';
import { VIRTUAL_INBOUND_PORT } from './inbound-port.js';
import { type InboundPort, type InboundPorts, inboundPorts } from './inbound-ports.js';

export interface InboundScope extends Scope {
  readonly facts: ListenerFacts;
  readonly interceptionMode: InterceptionMode;
  readonly inbound: InboundPorts;
}

/**
 * `virtualInbound`: one chain per port of the workload, passthrough for the others (BEHAVIOUR 5, "Sidecar
 * listeners"). None when nothing is redirected (INTERCEPTION_MODE NONE).
 */
export function createInboundPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  filters: FilterFactory,
  indexOf: (view: ServiceView) => ViewIndex,
): ResourcePart<InboundScope> {
  return {
    name: 'inbound',
    scope: (context, proxy) => {
      const { interceptionMode } = proxy.metadata;
      if (proxy.type !== 'sidecar' || interceptionMode === 'NONE') return undefined;
      const facts = listenerFactsOf(context, proxy, indexOf(context.viewOf(proxy.configNamespace)));
      const [wildcard] = wildcardAddresses(facts.families);
      const inbound = inboundPorts(context.targetsOf(proxy), settings.sniffInbound, wildcard);
      const ports = inbound.ports.map(inboundPortKey).join(',');
      const conflicts = inbound.conflicts.map((conflict) => conflict.message).join(',');
      return {
        key: `${facts.key}|${interceptionMode}|${ports}|${conflicts}`,
        facts,
        interceptionMode,
        inbound,
      };
    },
    generate: ({ mesh }, { facts, interceptionMode, inbound }) => {
      const [wildcard, ...additional] = wildcardAddresses(facts.families);
      const chainContext = { encoder, filters, mesh, facts };
      const chains = [
        inboundBlackHoleChain(chainContext),
        ...inboundPassthroughChains(chainContext, settings.sniffInbound),
        ...inbound.ports.flatMap((port) => inboundPortChains(chainContext, port)),
      ];
      // Whoever connects to a port of known protocol is not kept waiting for its first bytes.
      const known = inbound.ports.filter((port) => port.traffic !== 'sniffed').map((port) => port.targetPort);
      const disabledPorts = [...known, VIRTUAL_INBOUND_PORT];
      const head: ListenerParts['head'] = {
        name: VIRTUAL_INBOUND_LISTENER,
        address: socketAddress(wildcard, VIRTUAL_INBOUND_PORT),
        additionalAddresses: additional.map((it) => ({ address: socketAddress(it, VIRTUAL_INBOUND_PORT) })),
        listenerFilters: [
          originalDstFilter(encoder),
          ...(settings.sniffInbound ? [httpInspectorFilter(encoder, disabledPorts)] : []),
        ],
        listenerFiltersTimeout: duration(settings.inboundProtocolDetectionTimeoutMs),
        continueOnListenerFiltersTimeout: true,
        transparent: interceptionMode === 'TPROXY' ? { value: true } : null,
        trafficDirection: 'INBOUND',
      };
      return { resources: [composeListener(encoder, { head, chains })], findings: inbound.conflicts };
    },
  };
}

function inboundPortKey(port: InboundPort): string {
  return `${port.targetPort}=${port.protocol}:${port.servicePort}:${port.servicePortName}:${port.hostname}`;
}
