import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { encodeFilterChain } from '../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { buildSniCluster } from '../../envoy/sni-cluster.js';
import type { TransportSocket } from '../../generated/envoy/config/core/v3/TransportSocket.js';
import type { Filter } from '../../generated/envoy/config/listener/v3/Filter.js';
import type { FilterChainMatch } from '../../generated/envoy/config/listener/v3/FilterChainMatch.js';
import type { GatewayServer } from '../../model/gateways/gateway-server.js';
import type { MergedServer, RouterPort } from '../../model/gateways/merge-servers.js';
import type { ConnectionAction, ConnectionMatch, ConnectionRoute } from '../../model/traffic/connection-route.js';
import { WHOLE_SERVICE } from '../../model/traffic/destination.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import { OUTBOUND_CLUSTERS, type RouteClusters } from '../destination-names.js';
import { buildConnectionMatch } from '../listeners/connection-match.js';
import type { FilterFactory, TcpChainOptions } from '../listeners/filter-factory.js';
import type { ListenerDependencies } from '../listeners/listener-dependencies.js';
import type { GeneratorSettings } from '../settings.js';
import { passedClusters } from './auto-passthrough.js';
import { defaultEndpointCluster, encryptedRouteName, plaintextRouteName } from './gateway-names.js';
import type { GatewayRouting } from './gateway-routing.js';
import { createServerTlsBuilder } from './server-tls-context.js';

/** The inputs of all chains of a router. */
export interface GatewayChainContext {
  readonly mesh: MeshConfig;
  readonly dependencies: ListenerDependencies;
  readonly traffic: TrafficView;
  readonly routing: GatewayRouting;
  readonly hasSecrets: boolean;
}

/** The chains of one listener. */
export interface GatewayChains {
  readonly chains: readonly Buffer[];
  /** Servers whose chain another one displaces, because both take the same connections. */
  readonly displaced: readonly GatewayServer[];
  /** Servers without any chain: no virtual service routes their connections. */
  readonly unrouted: readonly GatewayServer[];
}

/** One chain before it is encoded. */
interface ChainDraft {
  readonly server: MergedServer;
  readonly match: FilterChainMatch;
  readonly filters: Filter[];
  readonly transportSocket?: TransportSocket;
}

/** Builds the filter chains of a port of a router. */
export function createGatewayChains(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  filters: FilterFactory,
): (port: RouterPort, listener: string, context: GatewayChainContext) => GatewayChains {
  const tlsOf = createServerTlsBuilder(encoder, settings);
  const sniCluster = buildSniCluster(encoder);

  const http = (
    { mesh, dependencies }: GatewayChainContext,
    listener: string,
    routeName: string,
    servers: readonly GatewayServer[],
  ): Filter => {
    const grpcWeb = servers.some(({ protocol }) => protocol === 'grpc-web');
    return filters.gatewayHttp(mesh, dependencies, { statPrefix: `outbound_${listener}`, grpcWeb, routeName });
  };

  const tcp = (
    { mesh, dependencies }: GatewayChainContext,
    action: ConnectionAction,
    options: Partial<TcpChainOptions> = {},
  ): Filter[] =>
    filters.tcp(mesh, dependencies, { direction: 'gateway', action, clusters: OUTBOUND_CLUSTERS, ...options });

  /** Connections that are passed on as bytes, one chain for each route, and one for the default endpoint. */
  const connectionChains = (
    server: MergedServer,
    routes: readonly ConnectionRoute[],
    names: readonly (readonly string[] | undefined)[],
    context: GatewayChainContext,
  ): ChainDraft[] => {
    const transportSocket = socketOf(server, context);
    const draft = (match: ConnectionMatch, chainFilters: Filter[]): ChainDraft => ({
      ...{ server, match: buildConnectionMatch(match), filters: chainFilters },
      ...(transportSocket === undefined ? {} : { transportSocket }),
    });
    const { protocol, defaultEndpoint } = server;
    const routed = routes.flatMap(({ match: { port: _, ...match }, action }) =>
      names.map((serverNames) => {
        const withNames = match.serverNames === undefined && serverNames !== undefined ? { serverNames } : {};
        return draft({ ...match, ...withNames }, tcp(context, action, { protocol }));
      }),
    );
    if (defaultEndpoint === undefined) return routed;
    const clusters = onlyCluster(defaultEndpointCluster(defaultEndpoint));
    const rest = names.map((serverNames) =>
      draft(serverNames === undefined ? {} : { serverNames }, tcp(context, TO_ENDPOINT, { clusters })),
    );
    return [...routed, ...rest];
  };

  const socketOf = ({ tls, traffic }: MergedServer, context: GatewayChainContext): TransportSocket | undefined =>
    tls?.mode === 'own' || tls?.mode === 'mesh' ? tlsOf(tls, traffic, context.mesh) : undefined;

  const draftsOf = (server: MergedServer, listener: string, context: GatewayChainContext): ChainDraft[] => {
    // A router without an identity has no certificate of the mesh.
    if (server.tls?.mode === 'mesh' && !context.hasSecrets) return [];
    const names = serverNamesOf(server);
    switch (server.traffic) {
      case 'http': {
        const chainFilters = [http(context, listener, encryptedRouteName(server), [server])];
        const socket = socketOf(server, context);
        return names.map((serverNames) => ({
          ...{ server, filters: chainFilters },
          match: buildConnectionMatch(serverNames === undefined ? {} : { serverNames }),
          ...(socket === undefined ? {} : { transportSocket: socket }),
        }));
      }
      case 'tcp':
      case 'passthrough':
        return connectionChains(server, context.routing.connectionsOf(server), names, context);
      case 'autoPassthrough': {
        const passed = passedClusters([server], context.traffic).map(({ name }) => name);
        if (passed.length === 0) return [];
        const match = buildConnectionMatch({ serverNames: passed });
        return [{ server, match, filters: tcp(context, { type: 'close' }, { beforeProxy: sniCluster }) }];
      }
    }
  };

  return (port, listener, context) => {
    if (port.kind === 'http') {
      const filter = http(context, listener, plaintextRouteName(port), port.servers);
      return { chains: [encodeFilterChain(encoder, { filters: [filter] })], displaced: [], unrouted: [] };
    }
    const drafts = port.servers.map((server) => [server, draftsOf(server, listener, context)] as const);
    const { kept, displaced } = withoutRepetitions(drafts.flatMap(([, each]) => each));
    const chains = kept.map(({ server, match, filters: chainFilters, transportSocket }, index) =>
      encodeFilterChain(encoder, {
        name: `${server.gateway}|${server.portName}|${index}`,
        ...(Object.keys(match).length === 0 ? {} : { filterChainMatch: match }),
        filters: chainFilters,
        ...(transportSocket === undefined ? {} : { transportSocket }),
      }),
    );
    const unrouted = drafts.flatMap(([server, each]) => (each.length === 0 ? [server] : []));
    return { chains, displaced, unrouted };
  };
}

const TO_ENDPOINT: ConnectionAction = {
  type: 'forward',
  destinations: [{ hostname: '', port: 0, subset: WHOLE_SERVICE, weight: 1 }],
  hashesSourceAddress: false,
};

function onlyCluster(name: string): RouteClusters {
  return { of: () => name, passThrough: name };
}

/**
 * Server names of the chains of a server; undefined for all others. A server with `*` and further hosts has two chains:
 * a more specific name of another server would take those further hosts otherwise.
 */
function serverNamesOf({ hosts, tls }: MergedServer): readonly (readonly string[] | undefined)[] {
  if (tls === undefined) return [undefined];
  const names = [...new Set(hosts.map(({ host }) => host))];
  const exact = names.filter((name) => name !== '*');
  const all = exact.length < names.length;
  return [...(exact.length > 0 ? [exact] : []), ...(all ? [undefined] : [])];
}

/** Envoy rejects a listener with two chains for the same connections: the first one keeps them. */
function withoutRepetitions(drafts: readonly ChainDraft[]): {
  readonly kept: readonly ChainDraft[];
  readonly displaced: readonly GatewayServer[];
} {
  /** Server names by the other conditions of their chains; undefined for connections of all names. */
  const taken = new Map<string, Set<string | undefined>>();
  const displaced = new Set<GatewayServer>();
  const kept = drafts.flatMap((draft) => {
    const { serverNames, ...others } = draft.match;
    const condition = JSON.stringify(others);
    const names = taken.get(condition) ?? new Set();
    taken.set(condition, names);
    const wanted: readonly (string | undefined)[] = serverNames ?? [undefined];
    const left = wanted.filter((name) => !names.has(name));
    for (const name of left) names.add(name);
    if (left.length < wanted.length) displaced.add(draft.server);
    if (left.length === 0) return [];
    const isWhole = serverNames === undefined || left.length === serverNames.length;
    return [
      isWhole ? draft : { ...draft, match: { ...draft.match, serverNames: left.filter((it) => it !== undefined) } },
    ];
  });
  return { kept, displaced: [...displaced] };
}
