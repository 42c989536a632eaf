import { cidrRange } from '../../../envoy/addresses.js';
import { encodeFilterChain } from '../../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import type { Filter } from '../../../generated/envoy/config/listener/v3/Filter.js';
import type { FilterChainMatch } from '../../../generated/envoy/config/listener/v3/FilterChainMatch.js';
import type { Service } from '../../../model/service.js';
import { destinationOf } from '../../../model/traffic/service-traffic.js';
import { clusterStatName } from '../../clusters/stat-name.js';
import { clusterOf } from '../../destination-names.js';
import { createMemo } from '../../memo.js';
import type { GeneratorSettings } from '../../settings.js';
import type { FilterFactory } from '../filter-factory.js';
import { unclaimedTrafficCluster } from '../passthrough.js';
import { plaintextHttpProtocols } from '../plaintext-http.js';
import type { ChainLayout } from './listener-layout.js';
import type { ListenerPlan } from './listener-plan.js';
import type { OutboundListenerContext } from './outbound-listener.js';

/** Encodes the filter chains of outbound listeners, each once for as long as its service stays the same. */
export interface OutboundChains {
  encode(chain: ChainLayout, plan: ListenerPlan, context: OutboundListenerContext): Buffer;
}

const OUTBOUND = { direction: 'outbound' } as const;

export function createOutboundChains(
  encoder: MessageEncoder,
  filters: FilterFactory,
  settings: GeneratorSettings,
): OutboundChains {
  const memo = createMemo<Buffer>();

  const filtersFor = (chain: ChainLayout, plan: ListenerPlan, { mesh, facts }: OutboundListenerContext): Filter[] => {
    const { target } = chain;
    switch (target.type) {
      case 'http': {
        const { routeName, grpcWeb } = target;
        const statPrefix = `outbound_${plan.name}`;
        return [filters.outboundHttp(mesh, facts, { statPrefix, routeName, grpcWeb })];
      }
      case 'service': {
        const { service, port } = target.claim;
        const destination = destinationOf(service, port.number);
        const cluster = clusterOf(destination);
        const pattern = mesh.outboundClusterStatName;
        const statPrefix =
          pattern === '' ? cluster : clusterStatName(pattern, { service, port, subset: destination.subset });
        return filters.tcp(mesh, facts, { ...OUTBOUND, cluster, isService: true, statPrefix, protocol: port.protocol });
      }
      case 'unclaimed':
        return filters.tcp(mesh, facts, { ...OUTBOUND, cluster: unclaimedTrafficCluster(mesh), isService: false });
    }
  };

  const encode = (chain: ChainLayout, plan: ListenerPlan, context: OutboundListenerContext): Buffer => {
    const match: FilterChainMatch = {};
    if (chain.range !== '') match.prefixRanges = [cidrRange(chain.range)];
    if (chain.serverName !== '') match.serverNames = [chain.serverName];
    if (chain.onlyHttp) {
      match.transportProtocol = 'raw_buffer';
      match.applicationProtocols = plaintextHttpProtocols(settings.http10 || context.facts.http10);
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
      return memo.of([context.mesh, serviceOf(chain) ?? context.mesh], key, () => encode(chain, plan, context));
    },
  };
}

function serviceOf({ target }: ChainLayout): Service | undefined {
  if (target.type === 'service') return target.claim.service;
  return target.type === 'http' ? target.service : undefined;
}

/** Unique within its listener. */
function chainName({ range, serverName, target }: ChainLayout): string {
  if (target.type === 'unclaimed') return 'PassthroughFilterChain';
  const kind = target.type === 'http' ? 'http' : 'tcp';
  return [range, serverName, kind].filter((part) => part !== '').join('|');
}
