import { createMemo, memoize } from '../../model/memo.js';
import { isOnDemand } from '../../model/on-demand.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import { kindOfKey, type PushRequest } from '../../model/push-request.js';
import type { Port, Protocol, Service } from '../../model/service.js';
import { mirroredHostsOf } from '../../model/traffic/mirrored-hosts.js';
import { clusterOf } from '../destination-names.js';
import { tracingCollectorOf } from '../listeners/listener-dependencies.js';
import type { GeneratorSettings } from '../settings.js';

/** Names of clusters of services that filters of plugins call. */
export type CalledClusters = (context: Pick<PushContext, 'mesh'>) => readonly string[];

type Settings = Pick<GeneratorSettings, 'keyValueFilter' | 'thriftFilter'>;

/** The outbound clusters that Envoy does not ask for when a request needs them. */
export interface NeededClusters {
  /**
   * Their names, sorted: an on-demand proxy gets them without asking, because filters that call a cluster themselves are
   * rejected, or fail, without it. Undefined for proxies that get all clusters.
   */
  namesFor(context: PushContext, proxy: Proxy): readonly string[] | undefined;
  /** Whether routing objects of the change may add some. Their other changes do not concern clusters. */
  affectedBy(request: PushRequest, context: PushContext | undefined): boolean;
}

export function createNeededClusters(settings: Settings, calledClusters: CalledClusters): NeededClusters {
  const ownProtocols = protocolsWithFilter(settings);
  const bindingsOf = memoize((view: ServiceView) => bindingsWith(view, ownProtocols));
  const mirroredHosts = createMirrorIndex();
  return {
    namesFor: (context, proxy) => {
      if (!isOnDemand(context, proxy)) return undefined;
      const traffic = context.trafficOf(proxy);
      const names = new Set(calledClusters(context));
      const collector = tracingCollectorOf(context, traffic.inAnyCluster.services);
      if (collector !== undefined) names.add(collector.cluster);
      for (const { service, port } of bindingsOf(traffic.services)) {
        const { rest } = traffic.connectionsOf(service, port, traffic.connectionCallerOf(proxy));
        if (rest.type === 'forward') for (const destination of rest.destinations) names.add(clusterOf(destination));
      }
      for (const hostname of mirroredHosts(context)) {
        const service = context.servicesByHost.get(hostname);
        if (service === undefined) continue;
        for (const { destination } of traffic.clustersOf(service)) names.add(clusterOf(destination));
      }
      return [...names].sort();
    },
    affectedBy: ({ changed }, context) => {
      if (changed === 'everything' || context === undefined) return false;
      const objects = context.objects.get('VirtualService');
      for (const key of changed) {
        if (kindOfKey(key) !== 'VirtualService') continue;
        const object = objects?.get(key);
        if (ownProtocols.size > 0) return true;
        if (object !== undefined && mirroredHostsOf(object, context.domain).length > 0) return true;
      }
      return false;
    },
  };
}

/** The hosts that requests are mirrored to. Envoy does not ask for the cluster of a mirror: it drops the request. */
function createMirrorIndex(): (context: PushContext) => ReadonlySet<string> {
  const none: ReadonlySet<string> = new Set();
  const indexes = createMemo<ReadonlySet<string>>();
  return ({ objects, domain }) => {
    const table = objects.get('VirtualService');
    if (table === undefined) return none;
    const index = () => new Set([...table.values()].flatMap((object) => mirroredHostsOf(object, domain)));
    return indexes.of([table], domain, index);
  };
}

/** Protocols whose filter takes the place of the TCP proxy, which alone asks for clusters. */
function protocolsWithFilter({ keyValueFilter, thriftFilter }: Settings): ReadonlySet<Protocol> {
  const protocols: Protocol[] = [];
  if (keyValueFilter) protocols.push('redis');
  if (thriftFilter) protocols.push('thrift');
  return new Set(protocols);
}

function bindingsWith(
  { services }: ServiceView,
  protocols: ReadonlySet<Protocol>,
): readonly { readonly service: Service; readonly port: Port }[] {
  if (protocols.size === 0) return [];
  return services.flatMap((service) =>
    service.ports.filter(({ protocol }) => protocols.has(protocol)).map((port) => ({ service, port })),
  );
}
