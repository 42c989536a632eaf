import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import { createMemo } from '../../model/memo.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import {
  clusterInputsOf,
  createServiceClusters,
  discoverClusters,
  type ServiceClustersView,
  serviceClustersViewOf,
} from '../clusters/service-clusters.js';
import { createUpstreamProtocols } from '../clusters/upstream-protocols.js';
import type { GeneratorSettings } from '../settings.js';

/** The port of a service that is the policy server of the mesh. */
export interface PolicyServicePort {
  /** Contains all members. */
  readonly key: string;
  readonly service: Service;
  readonly cluster: ServiceCluster;
  readonly view: ServiceClustersView;
}

/** Second clusters of services: the proxy has their clusters for gRPC already. */
export interface PolicyServiceClusters {
  /** Undefined where the proxy has no cluster of the port. */
  portOf(context: PushContext, proxy: Proxy, service: Service, port: number): PolicyServicePort | undefined;
  /** The cluster of the port, with another name and other protocol options. */
  encode(
    context: PushContext,
    port: PolicyServicePort,
    name: string,
    protocol: Pick<Cluster, 'typedExtensionProtocolOptions'>,
  ): EncodedResource;
}

const NO_INPUT = {};

export function createPolicyServiceClusters(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
): PolicyServiceClusters {
  const build = createServiceClusters(encoder, settings, createUpstreamProtocols(encoder));
  const memo = createMemo<EncodedResource>();
  return {
    portOf: (context, proxy, service, port) => {
      const traffic = context.trafficOf(proxy).inAnyCluster;
      const cluster = traffic
        .clustersOf(service)
        .find(({ destination }) => destination.port === port && destination.subset.name === '');
      if (cluster === undefined) return undefined;
      const { key, view } = serviceClustersViewOf(context, proxy, traffic);
      return { key: `${service.hostname}|${port}|${key}`, service, cluster, view };
    },
    encode: (context, { key, service, cluster, view }, name, protocol) => {
      // The port declares gRPC, and TLS of a policy would offer HTTP/2.
      const { port, policy } = cluster;
      const connections = { ...policy.connections, upgradesToHttp2: false };
      const overHttp = { ...cluster, port: { ...port, protocol: 'http' }, policy: { ...policy, connections } } as const;
      const discovered = discoverClusters(service, [overHttp], view.proxyType, settings.edsForHeadlessServices);
      const inputs = clusterInputsOf(context, service, discovered, view.sendsMutualTls);
      const { mutualTls = NO_INPUT, serviceAccounts = NO_INPUT, endpoints = NO_INPUT } = inputs;
      return memo.of([mutualTls, serviceAccounts, endpoints, cluster], key, () => {
        const [built = {}] = build(context, service, discovered, inputs, view);
        const { altStatName: _, ...message } = { ...built, name, ...protocol };
        const resource = encoder.encodeResource(TypeUrl.cluster, name, message);
        const assignment = built.edsClusterConfig?.serviceName;
        return assignment ? { ...resource, assignment } : resource;
      });
    },
  };
}
