import { socketAddress } from '../../../envoy/addresses.js';
import { composeListener, encodeFilterChain } from '../../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { BLACK_HOLE_CLUSTER, VIRTUAL_OUTBOUND_LISTENER } from '../../../envoy/names.js';
import type { InterceptionMode } from '../../../model/proxy.js';
import { wildcardAddresses } from '../../address-families.js';
import type { ResourcePart, Scope } from '../../generator.js';
import type { FilterFactory } from '../filter-factory.js';
import type { ListenerFacts } from '../listener-facts.js';
import { unclaimedTrafficCluster } from '../passthrough.js';

export interface VirtualOutboundScope extends Scope {
  readonly facts: ListenerFacts;
  readonly interceptionMode: InterceptionMode;
}

/**
 * `virtualOutbound`: takes every redirected outbound connection, hands it to the listener of its original
 * destination, and passes on or drops what no listener wants (BEHAVIOUR 5, "Sidecar listeners"). None when
 * nothing is redirected (INTERCEPTION_MODE NONE).
 */
export function createVirtualOutboundPart(
  encoder: MessageEncoder,
  filters: FilterFactory,
): ResourcePart<VirtualOutboundScope> {
  return {
    name: 'virtual-outbound',
    scope: (context, proxy) => {
      const { interceptionMode } = proxy.metadata;
      if (proxy.type !== 'sidecar' || interceptionMode === 'NONE') return undefined;
      const facts = filters.factsOf(context, proxy);
      return { key: `${facts.key}|${interceptionMode}`, facts, interceptionMode };
    },
    generate: ({ mesh }, { facts, interceptionMode }) => {
      const port = mesh.proxyListenPort;
      const [wildcard, ...additional] = wildcardAddresses(facts.families);
      const head = {
        name: VIRTUAL_OUTBOUND_LISTENER,
        address: socketAddress(wildcard, port),
        additionalAddresses: additional.map((address) => ({ address: socketAddress(address, port) })),
        useOriginalDst: { value: true },
        transparent: interceptionMode === 'TPROXY' ? { value: true } : null,
        trafficDirection: 'OUTBOUND',
      } as const;
      const chains = [
        // Connections to the listener's own port have no other destination: passed on, they would come back.
        encodeFilterChain(encoder, {
          name: 'virtualOutbound-blackhole',
          filterChainMatch: { destinationPort: { value: port } },
          filters: filters.tcp(mesh, facts, { direction: 'outbound', cluster: BLACK_HOLE_CLUSTER, isService: false }),
        }),
        encodeFilterChain(encoder, {
          name: 'virtualOutbound-catchall-tcp',
          filters: filters.tcp(mesh, facts, {
            direction: 'outbound',
            cluster: unclaimedTrafficCluster(mesh),
            isService: false,
          }),
        }),
      ];
      return { resources: [composeListener(encoder, { head, chains })], findings: [] };
    },
  };
}
