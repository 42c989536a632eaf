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
import type { Filter } from '../../../generated/envoy/config/listener/v3/Filter.js';
import type { FilterChainMatch } from '../../../generated/envoy/config/listener/v3/FilterChainMatch.js';
import type { MutualTlsMode } from '../../../model/security/mutual-tls.js';
import { type AddressFamilies, wildcardAddresses } from '../../address-families.js';
import type { FilterFactory } from '../filter-factory.js';
import type { ListenerFacts } from '../listener-facts.js';
import { type InboundKind, type InboundTraffic, inboundKinds } from './inbound-kinds.js';
import { VIRTUAL_INBOUND_PORT } from './inbound-port.js';
import type { InboundPort } from './inbound-ports.js';
import { buildInboundRoutes } from './inbound-routes.js';
import type { InboundTls } from './inbound-tls.js';

/** What all inbound chains of a proxy have in common. */
export interface InboundChainContext {
  readonly encoder: MessageEncoder;
  readonly filters: FilterFactory;
  readonly tls: InboundTls;
  readonly mesh: MeshConfig;
  readonly facts: ListenerFacts;
}

/** The chains for one port of the workload: as HTTP, as bytes, or both; in mutual TLS, in plaintext, or both. */
export function inboundPortChains(context: InboundChainContext, port: InboundPort, mode: MutualTlsMode): Buffer[] {
  const { filters, mesh, facts } = context;
  const cluster = inboundClusterName(port.servicePort, port.servicePortName, port.hostname);
  const [wildcard] = wildcardAddresses(facts.families);
  const name = `${wildcard}_${port.targetPort}`;
  const plainLabel = port.traffic === 'http' || port.traffic === 'sniffed' ? 'http' : 'tcp';
  return encodeChains(context, {
    traffic: port.traffic,
    mode,
    match: { destinationPort: { value: port.targetPort } },
    nameOf: ({ label }) => (label === plainLabel ? name : `${name}-${label}`),
    http: () => {
      const routes = buildInboundRoutes({
        name: cluster,
        cluster,
        port: port.servicePort,
        hostname: port.hostname,
      });
      const grpcWeb = port.protocol === 'grpc-web';
      const options = { statPrefix: `inbound_${name}`, grpcWeb, routes, serviceCluster: cluster };
      return [filters.inboundHttp(mesh, facts, options)];
    },
    tcp: () => filters.tcp(mesh, facts, { direction: 'inbound', cluster, isService: true, protocol: port.protocol }),
  });
}

/** Connections to the inbound listener's own port: passed on, they would come back. */
export function inboundBlackHoleChain({ encoder, filters, mesh, facts }: InboundChainContext): Buffer {
  return encodeFilterChain(encoder, {
    name: 'virtualInbound-blackhole',
    filterChainMatch: { destinationPort: { value: VIRTUAL_INBOUND_PORT } },
    filters: filters.tcp(mesh, facts, { direction: 'inbound', cluster: BLACK_HOLE_CLUSTER, isService: false }),
  });
}

/** Ports that no service claims. */
export interface UnclaimedPorts {
  /** One port that has a mode of its own; undefined for all the others. */
  readonly port: number | undefined;
  readonly mode: MutualTlsMode;
  /** Whether they are served as HTTP where their first bytes say so. */
  readonly sniff: boolean;
}

/** Their chains, which pass everything on to where it was going. */
export function inboundPassthroughChains(
  context: InboundChainContext,
  { port, mode, sniff }: UnclaimedPorts,
): Buffer[] {
  const { filters, mesh, facts } = context;
  const place = port === undefined ? 'catchall' : `catchall-${port}`;
  return passthroughClusters(facts.families).flatMap(({ cluster, suffix, match }) =>
    encodeChains(context, {
      traffic: sniff ? 'sniffed' : 'tcp',
      mode,
      match: port === undefined ? match : { destinationPort: { value: port }, ...match },
      nameOf: ({ label }) => `virtualInbound-${place}-${label}${suffix}`,
      http: () => {
        const routes = buildInboundRoutes({ name: cluster, cluster, port: 0, hostname: '' });
        const options = { statPrefix: cluster, grpcWeb: false, routes, serviceCluster: undefined };
        return [filters.inboundHttp(mesh, facts, options)];
      },
      tcp: () => filters.tcp(mesh, facts, { direction: 'inbound', cluster, isService: false }),
    }),
  );
}

/** What the chains of one port are made of. */
interface ChainPlan {
  readonly traffic: InboundTraffic;
  readonly mode: MutualTlsMode;
  /** What they have in common. */
  readonly match: FilterChainMatch;
  nameOf(kind: InboundKind): string;
  http(): Filter[];
  tcp(): Filter[];
}

/** The same filters, whichever way a connection is secured: nothing acts on plaintext alone. */
function encodeChains({ encoder, tls, mesh, facts }: InboundChainContext, plan: ChainPlan): Buffer[] {
  const kinds = inboundKinds(plan.traffic, plan.mode, facts.http10);
  const filters: Partial<Record<InboundKind['as'], Filter[]>> = {};
  return kinds.map((kind) => {
    filters[kind.as] ??= plan[kind.as]();
    return encodeFilterChain(encoder, {
      name: plan.nameOf(kind),
      filterChainMatch: { ...plan.match, ...kind.match },
      filters: filters[kind.as] ?? [],
      ...(kind.isMutualTls ? { transportSocket: tls(mesh, kind.as) } : {}),
    });
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
