import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { cidrRange } from '../../../envoy/addresses.js';
import { encodeFilterChain } from '../../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import {
  BLACK_HOLE_CLUSTER,
  INBOUND_PASSTHROUGH_CLUSTER_IPV4,
  INBOUND_PASSTHROUGH_CLUSTER_IPV6,
  inboundClusterName,
} from '../../../envoy/names.js';
import type { FilterChain } from '../../../generated/envoy/config/listener/v3/FilterChain.js';
import type { FilterChainMatch } from '../../../generated/envoy/config/listener/v3/FilterChainMatch.js';
import { type AddressFamilies, wildcardAddresses } from '../../address-families.js';
import type { FilterFactory } from '../filter-factory.js';
import type { ListenerFacts } from '../listener-facts.js';
import { plaintextHttpProtocols } from '../plaintext-http.js';
import { VIRTUAL_INBOUND_PORT } from './inbound-port.js';
import type { InboundPort } from './inbound-ports.js';
import { buildInboundRoutes } from './inbound-routes.js';

/** What all inbound chains of a proxy have in common. */
export interface InboundChainContext {
  readonly encoder: MessageEncoder;
  readonly filters: FilterFactory;
  readonly mesh: MeshConfig;
  readonly facts: ListenerFacts;
}

/** The chains for one port of the workload: as HTTP, as bytes, or both when the protocol is sniffed. */
export function inboundPortChains(context: InboundChainContext, port: InboundPort): Buffer[] {
  const { encoder, filters, mesh, facts } = context;
  const cluster = inboundClusterName(port.servicePort, port.servicePortName, port.hostname);
  const [wildcard] = wildcardAddresses(facts.families);
  const name = `${wildcard}_${port.targetPort}`;
  const match: FilterChainMatch = { destinationPort: { value: port.targetPort } };
  const chains: FilterChain[] = [];
  if (port.traffic === 'http' || port.traffic === 'sniffed') {
    const routes = buildInboundRoutes({
      name: cluster,
      cluster,
      port: port.servicePort,
      hostname: port.hostname,
    });
    const grpcWeb = port.protocol === 'grpc-web';
    const options = { statPrefix: `inbound_${name}`, grpcWeb, routes, serviceCluster: cluster };
    chains.push({
      name,
      filterChainMatch: port.traffic === 'sniffed' ? plaintextHttp(match, facts) : match,
      filters: [filters.inboundHttp(mesh, facts, options)],
    });
  }
  if (port.traffic !== 'http') {
    chains.push({
      name: port.traffic === 'sniffed' ? `${name}-tcp` : name,
      filterChainMatch: port.traffic === 'sniffed' ? plaintext(match) : match,
      filters: filters.tcp(mesh, facts, {
        direction: 'inbound',
        cluster,
        isService: true,
        protocol: port.protocol,
      }),
    });
  }
  return chains.map((chain) => encodeFilterChain(encoder, chain));
}

/** Connections to the inbound listener's own port: passed on, they would come back. */
export function inboundBlackHoleChain({ encoder, filters, mesh, facts }: InboundChainContext): Buffer {
  return encodeFilterChain(encoder, {
    name: 'virtualInbound-blackhole',
    filterChainMatch: { destinationPort: { value: VIRTUAL_INBOUND_PORT } },
    filters: filters.tcp(mesh, facts, { direction: 'inbound', cluster: BLACK_HOLE_CLUSTER, isService: false }),
  });
}

/** The chains for ports that no service claims; as HTTP only where inbound ports are sniffed. */
export function inboundPassthroughChains(context: InboundChainContext, sniff: boolean): Buffer[] {
  const { encoder, filters, mesh, facts } = context;
  return passthroughClusters(facts.families).flatMap(({ cluster, suffix, match }) => {
    const chains: FilterChain[] = [];
    if (sniff) {
      const routes = buildInboundRoutes({ name: cluster, cluster, port: 0, hostname: '' });
      chains.push({
        name: `virtualInbound-catchall-http${suffix}`,
        filterChainMatch: plaintextHttp(match, facts),
        filters: [
          filters.inboundHttp(mesh, facts, { statPrefix: cluster, grpcWeb: false, routes, serviceCluster: undefined }),
        ],
      });
    }
    chains.push({
      name: `virtualInbound-catchall-tcp${suffix}`,
      filterChainMatch: sniff ? plaintext(match) : match,
      filters: filters.tcp(mesh, facts, { direction: 'inbound', cluster, isService: false }),
    });
    return chains.map((chain) => encodeFilterChain(encoder, chain));
  });
}

function passthroughClusters({ ipv4, ipv6 }: AddressFamilies) {
  const both = ipv4 && ipv6;
  const clusters: { cluster: string; suffix: string; match: FilterChainMatch }[] = [];
  if (ipv4) {
    const match = both ? { prefixRanges: [cidrRange('0.0.0.0/0')] } : {};
    clusters.push({ cluster: INBOUND_PASSTHROUGH_CLUSTER_IPV4, suffix: '', match });
  }
  if (ipv6) {
    const match = both ? { prefixRanges: [cidrRange('::/0')] } : {};
    clusters.push({ cluster: INBOUND_PASSTHROUGH_CLUSTER_IPV6, suffix: both ? '-ipv6' : '', match });
  }
  return clusters;
}

/**
 * Beside a chain for plaintext HTTP: Envoy picks by transport protocol first and never looks back, so that a
 * chain without one would be passed over.
 */
function plaintext(match: FilterChainMatch): FilterChainMatch {
  return { ...match, transportProtocol: 'raw_buffer' };
}

function plaintextHttp(match: FilterChainMatch, facts: ListenerFacts): FilterChainMatch {
  return { ...plaintext(match), applicationProtocols: plaintextHttpProtocols(facts.http10) };
}
