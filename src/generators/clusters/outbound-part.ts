import { inOneStep, type Steps } from '../../base/steps.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Finding } from '../../model/finding.js';
import { createMemo, memoize } from '../../model/memo.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import type { GatewayRouter } from '../gateways/gateway-router.js';
import type { Generated, ResourcePart, Scope } from '../generator.js';
import { createRecent } from '../recent.js';
import type { GeneratorSettings } from '../settings.js';
import {
  clusterInputsOf,
  createServiceClusters,
  type DiscoveredClusters,
  discoverClusters,
  type ServiceClustersView,
  serviceClustersViewOf,
} from './service-clusters.js';
import type { UpstreamProtocols } from './upstream-protocols.js';

export interface OutboundScope extends Scope, ServiceClustersView {
  /** The hosts whose clusters are made; undefined for all. */
  readonly onlyHosts: ReadonlySet<string> | undefined;
}

/**
 * Number of combinations of networks and locality whose clusters are remembered, the last used ones. Proxies can invent
 * any number of them.
 */
const MAX_VIEWS = 64;

/** Clusters of one service, each with its port. */
type EncodedClusters = readonly { readonly port: number; readonly resource: EncodedResource }[];

/** Stands for an input that the clusters of a service do not depend on. */
const NO_INPUT = {};

/** One cluster per port and subset of every service in view, encoded again only when one of its inputs has changed. */
export function createOutboundPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  protocols: UpstreamProtocols,
  { clusterHostsOf }: Pick<GatewayRouter, 'clusterHostsOf'>,
): ResourcePart<OutboundScope> {
  const memo = createMemo<EncodedClusters>();
  const memoOfView = createRecent(MAX_VIEWS, () => createMemo<EncodedClusters>());
  const build = createServiceClusters(encoder, settings, protocols);
  const byHostname = createHostnameOrder();

  const discoveries = createMemo<DiscoveredClusters>();

  const clustersOf = (context: PushContext, service: Service, scope: OutboundScope): EncodedClusters => {
    const clusters = scope.traffic.clustersOf(service);
    const discovered = discoveries.of([clusters], scope.proxyType, () =>
      discoverClusters(service, clusters, scope.proxyType, settings.edsForHeadlessServices),
    );
    const inputs = clusterInputsOf(context, service, discovered, scope.sendsMutualTls);
    const isOfView = discovered.isInline && (scope.networkView.length > 0 || scope.locality !== '');
    const memory = isOfView ? memoOfView(JSON.stringify([scope.networkView, scope.locality])) : memo;
    const key = `${scope.proxyType},${scope.sendsMutualTls},${discovered.isInline && scope.ipv6Only}`;
    // Inputs that many services share come first, which keeps the memory small.
    const { mutualTls = NO_INPUT, serviceAccounts = NO_INPUT, endpoints = NO_INPUT } = inputs;
    return memory.of([mutualTls, serviceAccounts, endpoints, clusters], key, () =>
      build(context, service, discovered, inputs, scope).map((built, index) => ({
        port: clusters[index]?.port.number ?? 0,
        resource: encoder.encodeResource(TypeUrl.cluster, built.name ?? '', built),
      })),
    );
  };

  const generateInSteps = function* (context: PushContext, scope: OutboundScope): Steps<Generated> {
    // Grouped by port, the names are sorted runs: nextResourceSet sorts them in linear time.
    const byPort = new Map<number, EncodedResource[]>();
    const findings: Finding[] = [];
    for (const [index, service] of byHostname(scope.traffic.services).entries()) {
      if (index % SERVICES_AT_ONCE === 0) yield;
      if (scope.onlyHosts?.has(service.hostname) === false) continue;
      for (const { port, resource } of clustersOf(context, service, scope)) {
        const bucket = byPort.get(port);
        if (bucket === undefined) byPort.set(port, [resource]);
        else if (isTaken(bucket, resource.name, service.hostname)) findings.push(duplicate(resource.name, service));
        else bucket.push(resource);
      }
    }
    return { resources: [...byPort.values()].flat(), findings };
  };

  return {
    name: 'outbound',
    scope: (context, proxy) => {
      const { key, view } = serviceClustersViewOf(context, proxy, context.trafficOf(proxy).inAnyCluster);
      const hosts = clusterHostsOf(context, proxy);
      const onlyHosts = hosts && new Set(hosts);
      return { ...view, key: hosts === undefined ? key : `${key}|${JSON.stringify(hosts)}`, onlyHosts };
    },
    generate: (context, scope) => inOneStep(generateInSteps(context, scope)),
    generateInSteps,
  };
}

/** Services whose clusters are made in one step. */
const SERVICES_AT_ONCE = 32;

/** Services of one host follow each other, so a cluster of the same name is among the last ones of the port. */
function isTaken(bucket: readonly EncodedResource[], name: string, hostname: string): boolean {
  for (let index = bucket.length - 1; index >= 0; index--) {
    const other = bucket[index]?.name ?? '';
    if (other === name) return true;
    if (!other.endsWith(hostname)) return false;
  }
  return false;
}

/** Services by host, the oldest of a host first; sorted once per view. */
function createHostnameOrder(): (view: ServiceView) => readonly Service[] {
  return memoize(({ services }: ServiceView) =>
    services.toSorted((a, b) => (a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : 0)),
  );
}

function duplicate(name: string, service: Service): Finding {
  return {
    metric: 'nav_duplicate_proxy_clusters',
    key: name,
    message: `Cluster ${name} of ${service.source} is already made by an older service or port; rename the host or the port`,
  };
}
