import { encodeFilterChain } from '../../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import type { Filter } from '../../../generated/envoy/config/listener/v3/Filter.js';
import type { FilterChainMatch } from '../../../generated/envoy/config/listener/v3/FilterChainMatch.js';
import { createMemo } from '../../../model/memo.js';
import { clusterOfPort } from '../../../model/traffic/mesh-traffic.js';
import { clusterStatName } from '../../clusters/cluster-defaults.js';
import { clusterOf, OUTBOUND_CLUSTERS } from '../../destination-names.js';
import type { GeneratorSettings } from '../../settings.js';
import { buildConnectionMatch, plaintextHttpProtocols } from '../connection-match.js';
import type { FilterFactory } from '../filter-factory.js';
import type { ChainLayout } from './listener-layout.js';
import type { ListenerPlan } from './listener-plan.js';
import type { OutboundListenerContext } from './outbound-listener.js';

/** Encodes the filter chains of outbound listeners, each once for as long as its service stays the same. */
export interface OutboundChains {
  encode(chain: ChainLayout, plan: ListenerPlan, context: OutboundListenerContext): Buffer;
}

const OUTBOUND = { direction: 'outbound', clusters: OUTBOUND_CLUSTERS } as const;

/** Keys have settings from the metadata of proxies, which peers can invent. */
const MAX_VARIANTS = 4_096;

export function createOutboundChains(
  encoder: MessageEncoder,
  filters: FilterFactory,
  settings: GeneratorSettings,
): OutboundChains {
  const memo = createMemo<Buffer>(MAX_VARIANTS);

  const filtersFor = (
    { target }: ChainLayout,
    plan: ListenerPlan,
    { mesh, traffic, caller, dependencies }: OutboundListenerContext,
  ): Filter[] => {
    switch (target.type) {
      case 'http': {
        const { routeName, grpcWeb } = target;
        const statPrefix = `outbound_${plan.name}`;
        return [filters.outboundHttp(mesh, dependencies, { statPrefix, routeName, grpcWeb })];
      }
      case 'service': {
        const { service, port } = target.binding;
        const cluster = clusterOfPort(traffic.clustersOf(service), port.number);
        const { subset } = cluster.destination;
        const pattern = mesh.outboundClusterStatName;
        const statPrefix =
          pattern === '' ? clusterOf(cluster.destination) : clusterStatName(pattern, { service, port, subset });
        const { routed } = target;
        if (routed !== undefined) return filters.tcp(mesh, dependencies, { ...OUTBOUND, action: routed.action });
        const action = traffic.connectionsOf(service, port, caller).rest;
        return filters.tcp(mesh, dependencies, { ...OUTBOUND, action, statPrefix, protocol: port.protocol });
      }
      case 'unclaimed':
        return filters.tcp(mesh, dependencies, { ...OUTBOUND, action: traffic.unknown.connections });
    }
  };

  const encode = (chain: ChainLayout, plan: ListenerPlan, context: OutboundListenerContext): Buffer => {
    const match: FilterChainMatch = buildConnectionMatch(chain.match);
    if (chain.onlyHttp) {
      match.transportProtocol = 'raw_buffer';
      match.applicationProtocols = plaintextHttpProtocols(settings.http10 || context.dependencies.http10);
    }
    return encodeFilterChain(encoder, {
      name: chainName(chain),
      filters: filtersFor(chain, plan, context),
      ...(Object.keys(match).length > 0 ? { filterChainMatch: match } : {}),
    });
  };

  return {
    encode: (chain, plan, context) => {
      const http = chain.target.type === 'http' ? `${chain.target.routeName}|${chain.target.grpcWeb}` : '';
      const key = `${plan.name}|${chainName(chain)}|${chain.onlyHttp}|${http}|${context.key}`;
      return memo.of([context.mesh, dependencyOf(chain, context) ?? context.mesh], key, () =>
        encode(chain, plan, context),
      );
    },
  };
}

/** The routes of a chain, or the clusters of its only service. */
function dependencyOf({ target }: ChainLayout, { traffic, caller }: OutboundListenerContext): object | undefined {
  if (target.type === 'unclaimed') return undefined;
  if (target.type === 'service') return traffic.connectionsOf(target.binding.service, target.binding.port, caller);
  return target.service && traffic.clustersOf(target.service);
}

/** Unique within its listener. */
function chainName({ match, target }: ChainLayout): string {
  if (target.type === 'unclaimed') return 'PassthroughFilterChain';
  const kind = target.type === 'http' ? 'http' : 'tcp';
  const routed = target.type === 'service' && target.routed !== undefined ? [`route ${target.routed.position}`] : [];
  const { destinationRanges = [], serverNames = [], sourceRanges = [] } = match;
  return [...destinationRanges, ...serverNames, ...sourceRanges, kind, ...routed].join('|');
}
