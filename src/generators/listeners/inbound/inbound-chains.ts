import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../../envoy/config-source.js';
import { encodeFilterChain } from '../../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import {
  INBOUND_PASSTHROUGH_CLUSTER_IPV4,
  INBOUND_PASSTHROUGH_CLUSTER_IPV6,
  inboundClusterName,
} from '../../../envoy/names.js';
import { buildDownstreamMutualTls } from '../../../envoy/tls-context.js';
import type { TransportSocket } from '../../../generated/envoy/config/core/v3/TransportSocket.js';
import type { Filter } from '../../../generated/envoy/config/listener/v3/Filter.js';
import type { RouteConfiguration } from '../../../generated/envoy/config/route/v3/RouteConfiguration.js';
import { createMemo } from '../../../model/memo.js';
import type { MutualTlsMode } from '../../../model/security/mutual-tls.js';
import type { ConnectionMatch } from '../../../model/traffic/connection-route.js';
import { destinationOf } from '../../../model/traffic/destination.js';
import type { VirtualHost } from '../../../model/traffic/http-route.js';
import { workloadConnections, workloadVirtualHost } from '../../../model/traffic/workload-routes.js';
import { type AddressFamilies, wildcardAddresses } from '../../address-families.js';
import { OUTBOUND_CLUSTERS, type RouteClusters } from '../../destination-names.js';
import { buildHttpRoute } from '../../routes/http/http-route.js';
import { HTTP_SERVER_PROTOCOLS } from '../../security/mesh-protocols.js';
import { clientNames } from '../../security/trusted-names.js';
import type { GeneratorSettings } from '../../settings.js';
import { buildConnectionMatch } from '../connection-match.js';
import type { FilterFactory } from '../filter-factory.js';
import type { ListenerDependencies } from '../listener-dependencies.js';
import { type InboundKind, type InboundTraffic, inboundKinds } from './inbound-kinds.js';
import { type InboundPort, VIRTUAL_INBOUND_PORT } from './inbound-ports.js';

/** The inputs of all inbound chains of a proxy. */
export interface InboundChainContext {
  readonly encoder: MessageEncoder;
  readonly filters: FilterFactory;
  readonly tls: InboundTls;
  readonly mesh: MeshConfig;
  readonly dependencies: ListenerDependencies;
}

/** The chains for one port of the workload: as HTTP, as bytes, or both; in mutual TLS, in plaintext, or both. */
export function inboundPortChains(context: InboundChainContext, port: InboundPort, mode: MutualTlsMode): Buffer[] {
  const { encoder, filters, mesh, dependencies } = context;
  const cluster = inboundClusterName(port.servicePort, port.servicePortName, port.hostname);
  const destination = destinationOf(port, port.servicePort);
  const clusters: RouteClusters = { of: () => cluster, passThrough: cluster };
  const [wildcard] = wildcardAddresses(dependencies.families);
  const name = `${wildcard}_${port.targetPort}`;
  const plainLabel = port.traffic === 'http' || port.traffic === 'sniffed' ? 'http' : 'tcp';
  return encodeChains(context, {
    traffic: port.traffic,
    mode,
    match: { port: port.targetPort },
    nameOf: ({ label }) => (label === plainLabel ? name : `${name}-${label}`),
    http: () => {
      const routes = buildInboundRoutes(encoder, cluster, workloadVirtualHost(destination), clusters);
      const grpcWeb = port.protocol === 'grpc-web';
      const options = { statPrefix: `inbound_${name}`, grpcWeb, routes, serviceCluster: cluster };
      return [filters.inboundHttp(mesh, dependencies, options)];
    },
    tcp: () => {
      const action = workloadConnections(destination);
      return filters.tcp(mesh, dependencies, { direction: 'inbound', action, clusters, protocol: port.protocol });
    },
  });
}

/** Closes connections to the port of the inbound listener itself: passed on, they would return to it. */
export function inboundBlackHoleChain({ encoder, filters, mesh, dependencies }: InboundChainContext): Buffer {
  return encodeFilterChain(encoder, {
    name: 'virtualInbound-blackhole',
    filterChainMatch: buildConnectionMatch({ port: VIRTUAL_INBOUND_PORT }),
    filters: filters.tcp(mesh, dependencies, {
      direction: 'inbound',
      action: { type: 'close' },
      clusters: OUTBOUND_CLUSTERS,
    }),
  });
}

/** Ports of no service. */
export interface UnclaimedPorts {
  /** The one port that has a mode of its own; undefined for all others. */
  readonly port: number | undefined;
  readonly mode: MutualTlsMode;
  /** Whether they are served as HTTP where their first bytes say so. */
  readonly sniff: boolean;
}

/** The chains of ports of no service: they pass all connections on to their original destination. */
export function inboundPassthroughChains(
  context: InboundChainContext,
  { port, mode, sniff }: UnclaimedPorts,
): Buffer[] {
  const { encoder, filters, mesh, dependencies } = context;
  const place = port === undefined ? 'catchall' : `catchall-${port}`;
  return passthroughClusters(dependencies.families).flatMap(({ cluster, suffix, match }) => {
    const clusters: RouteClusters = { of: () => cluster, passThrough: cluster };
    return encodeChains(context, {
      traffic: sniff ? 'sniffed' : 'tcp',
      mode,
      match: port === undefined ? match : { port, ...match },
      nameOf: ({ label }) => `virtualInbound-${place}-${label}${suffix}`,
      http: () => {
        const routes = buildInboundRoutes(encoder, cluster, workloadVirtualHost(undefined), clusters);
        const options = { statPrefix: cluster, grpcWeb: false, routes, serviceCluster: undefined };
        return [filters.inboundHttp(mesh, dependencies, options)];
      },
      tcp: () =>
        filters.tcp(mesh, dependencies, { direction: 'inbound', action: workloadConnections(undefined), clusters }),
    });
  });
}

/** The inputs of the chains of one port. */
interface ChainPlan {
  readonly traffic: InboundTraffic;
  readonly mode: MutualTlsMode;
  /** What they have in common. */
  readonly match: ConnectionMatch;
  nameOf(kind: InboundKind): string;
  http(): Filter[];
  tcp(): Filter[];
}

/** Chains in mutual TLS and in plaintext have the same filters. */
function encodeChains({ encoder, tls, mesh, dependencies }: InboundChainContext, plan: ChainPlan): Buffer[] {
  const kinds = inboundKinds(plan.traffic, plan.mode, dependencies.http10);
  const filters: Partial<Record<InboundKind['as'], Filter[]>> = {};
  return kinds.map((kind) => {
    filters[kind.as] ??= plan[kind.as]();
    return encodeFilterChain(encoder, {
      name: plan.nameOf(kind),
      filterChainMatch: { ...buildConnectionMatch(plan.match), ...kind.match },
      filters: filters[kind.as] ?? [],
      ...(kind.isMutualTls ? { transportSocket: tls(mesh, kind.as) } : {}),
    });
  });
}

function passthroughClusters({ ipv4, ipv6 }: AddressFamilies) {
  const both = ipv4 && ipv6;
  const clusters: { cluster: string; suffix: string; match: ConnectionMatch }[] = [];
  if (ipv4) {
    const match = both ? { destinationRanges: ['0.0.0.0/0'] } : {};
    clusters.push({ cluster: INBOUND_PASSTHROUGH_CLUSTER_IPV4, suffix: '', match });
  }
  if (ipv6) {
    const match = both ? { destinationRanges: ['::/0'] } : {};
    clusters.push({ cluster: INBOUND_PASSTHROUGH_CLUSTER_IPV6, suffix: both ? '-ipv6' : '', match });
  }
  return clusters;
}

/** The TLS of inbound chains, encoded once for all chains of HTTP and once for all others. */
export type InboundTls = (mesh: MeshConfig, as: InboundKind['as']) => TransportSocket;

export function createInboundTls(encoder: MessageEncoder, settings: GeneratorSettings): InboundTls {
  const memo = createMemo<TransportSocket>();
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);
  return (mesh, as) =>
    memo.of([mesh], as, () =>
      buildDownstreamMutualTls(encoder, {
        configSource,
        peerNames: clientNames(mesh, settings),
        applicationProtocols: as === 'http' ? HTTP_SERVER_PROTOCOLS : [],
      }),
    );
}

/** The route table that comes with an inbound chain: one virtual host for all requests. */
function buildInboundRoutes(
  encoder: MessageEncoder,
  name: string,
  host: VirtualHost,
  clusters: RouteClusters,
): RouteConfiguration {
  const routes = host.routes.map((route) => buildHttpRoute(encoder, route, clusters));
  return {
    name,
    validateClusters: { value: false },
    virtualHosts: [{ name: host.name, domains: ['*'], routes }],
  };
}
