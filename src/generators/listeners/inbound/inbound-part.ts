import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { socketAddress } from '../../../envoy/addresses.js';
import { duration } from '../../../envoy/durations.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { composeListener, type ListenerParts } from '../../../envoy/listener-bytes.js';
import { httpInspectorFilter, originalDstFilter } from '../../../envoy/listener-filters.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { VIRTUAL_INBOUND_LISTENER } from '../../../envoy/names.js';
import type { InterceptionMode } from '../../../model/proxy.js';
import { wildcardAddresses } from '../../address-families.js';
import type { ResourcePart, Scope } from '../../generator.js';
import { createIdentityMemo } from '../../identity-memo.js';
import type { GeneratorSettings } from '../../settings.js';
import type { FilterFactory } from '../filter-factory.js';
import type { ListenerFacts } from '../listener-facts.js';
import { inboundBlackHoleChain, inboundPassthroughChains, inboundPortChains } from './inbound-chains.js';
import { VIRTUAL_INBOUND_PORT } from './inbound-port.js';
import { type InboundPorts, inboundPorts } from './inbound-ports.js';

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
): ResourcePart<InboundScope> {
  const scopes = createIdentityMemo<InboundScope>();
  const listeners = createIdentityMemo<EncodedResource>();
  /** Chains that are the same for every workload. */
  const commonChains = createIdentityMemo<readonly Buffer[]>();

  const build = (mesh: MeshConfig, { facts, interceptionMode, inbound }: InboundScope): EncodedResource => {
    const [wildcard, ...additional] = wildcardAddresses(facts.families);
    const chainContext = { encoder, filters, mesh, facts };
    const common = commonChains.remember(mesh, mesh, facts.key, () => [
      inboundBlackHoleChain(chainContext),
      ...inboundPassthroughChains(chainContext, settings.sniffInbound),
    ]);
    const chains = [...common, ...inbound.ports.flatMap((port) => inboundPortChains(chainContext, port))];
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
    return composeListener(encoder, { head, chains });
  };

  return {
    name: 'inbound',
    scope: (context, proxy) => {
      const { interceptionMode } = proxy.metadata;
      if (proxy.type !== 'sidecar' || interceptionMode === 'NONE') return undefined;
      const facts = filters.factsOf(context, proxy);
      const targets = context.targetsOf(proxy);
      const variant = `${facts.key}|${interceptionMode}`;
      return scopes.remember(context.mesh, targets, variant, () => {
        const [wildcard] = wildcardAddresses(facts.families);
        const inbound = inboundPorts(targets, settings.sniffInbound, wildcard);
        return { key: `${variant}|${JSON.stringify(inbound)}`, facts, interceptionMode, inbound };
      });
    },
    generate: ({ mesh }, scope) => ({
      resources: [listeners.remember(mesh, scope.inbound, scope.key, () => build(mesh, scope))],
      findings: scope.inbound.conflicts,
    }),
  };
}
