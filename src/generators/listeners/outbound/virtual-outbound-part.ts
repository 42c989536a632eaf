import { socketAddress } from '../../../envoy/addresses.js';
import { composeListener, encodeFilterChain } from '../../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { VIRTUAL_OUTBOUND_LISTENER } from '../../../envoy/names.js';
import type { InterceptionMode } from '../../../model/proxy.js';
import type { ConnectionAction } from '../../../model/traffic/connection-route.js';
import type { UnknownTraffic } from '../../../model/traffic/unknown-destinations.js';
import { wildcardAddresses } from '../../address-families.js';
import { OUTBOUND_CLUSTERS } from '../../destination-names.js';
import type { ResourcePart, Scope } from '../../generator.js';
import { buildConnectionMatch } from '../connection-match.js';
import type { FilterFactory } from '../filter-factory.js';
import type { ListenerDependencies } from '../listener-dependencies.js';

export interface VirtualOutboundScope extends Scope {
  readonly dependencies: ListenerDependencies;
  readonly interceptionMode: InterceptionMode;
  readonly unknown: UnknownTraffic;
}

/**
 * `virtualOutbound`: takes every redirected outbound connection and hands it to the listener of its original
 * destination. Without such a listener it passes the connection on or closes it
 * (docs/reference/xds.md#sidecar-listeners). Absent without redirection (INTERCEPTION_MODE NONE).
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
      const dependencies = filters.dependenciesOf(context, proxy);
      const { unknown } = context.trafficOf(proxy);
      const key = `${dependencies.key}|${interceptionMode}|${unknown.id}`;
      return { key, dependencies, interceptionMode, unknown };
    },
    generate: ({ mesh }, { dependencies, interceptionMode, unknown }) => {
      const port = mesh.proxyListenPort;
      const [wildcard, ...additional] = wildcardAddresses(dependencies.families);
      const head = {
        name: VIRTUAL_OUTBOUND_LISTENER,
        address: socketAddress(wildcard, port),
        additionalAddresses: additional.map((address) => ({ address: socketAddress(address, port) })),
        useOriginalDst: { value: true },
        transparent: interceptionMode === 'TPROXY' ? { value: true } : null,
        trafficDirection: 'OUTBOUND',
      } as const;
      const filtersFor = (action: ConnectionAction) =>
        filters.tcp(mesh, dependencies, { direction: 'outbound', action, clusters: OUTBOUND_CLUSTERS });
      const chains = [
        // Connections to the port of the listener itself would return to it if they were passed on.
        encodeFilterChain(encoder, {
          name: 'virtualOutbound-blackhole',
          filterChainMatch: buildConnectionMatch({ port }),
          filters: filtersFor({ type: 'close' }),
        }),
        encodeFilterChain(encoder, {
          name: 'virtualOutbound-catchall-tcp',
          filters: filtersFor(unknown.connections),
        }),
      ];
      return { resources: [composeListener(encoder, { head, chains })], findings: [] };
    },
  };
}
