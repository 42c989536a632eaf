import { inboundClusterName } from '../../../envoy/names.js';
import type { Direction } from '../../../model/policy/proxy-policy.js';
import type { Protocol } from '../../../model/protocol.js';
import type { ServiceTarget } from '../../../model/proxy.js';
import type { ServiceView } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { destinationOf } from '../../../model/traffic/destination.js';
import { clusterOf } from '../../destination-names.js';
import { trafficClass } from '../../traffic-class.js';

/** A chain of a proxy that passes connections of one service on as bytes. */
export interface TcpChain {
  /** The cluster that it leads to. */
  readonly cluster: string;
  readonly direction: Direction;
  readonly service: Service;
  /** Inbound: the port that the workload listens on. */
  readonly targetPort?: number;
}

/** Of two targets with one cluster the first counts, as in the cluster itself. Sorted by cluster. */
export function inboundTcpChains(targets: readonly ServiceTarget[], sniff: boolean): readonly TcpChain[] {
  const chains = targets
    .filter(({ port }) => passesBytes(port.protocol, sniff))
    .map(({ service, port, targetPort }): TcpChain => {
      const cluster = inboundClusterName(port.number, port.name, service.hostname);
      return { cluster, direction: 'inbound', service, targetPort };
    });
  return firstByCluster(chains);
}

/** Of two services with one cluster the older counts, which comes first in its view. Sorted by cluster. */
export function outboundTcpChains({ services }: ServiceView, sniff: boolean): readonly TcpChain[] {
  const chains = services.flatMap((service) =>
    service.ports
      .filter(({ protocol }) => passesBytes(protocol, sniff))
      .map(({ number }): TcpChain => {
        return { cluster: clusterOf(destinationOf(service, number)), direction: 'outbound', service };
      }),
  );
  return firstByCluster(chains);
}

/** A port that is sniffed has a chain for bytes beside the one for HTTP. */
function passesBytes(protocol: Protocol, sniff: boolean): boolean {
  const traffic = trafficClass(protocol, sniff);
  return traffic === 'tcp' || traffic === 'tls' || traffic === 'sniffed';
}

function firstByCluster(chains: readonly TcpChain[]): readonly TcpChain[] {
  const byCluster = new Map<string, TcpChain>();
  for (const chain of chains) if (!byCluster.has(chain.cluster)) byCluster.set(chain.cluster, chain);
  return [...byCluster.values()].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}
