import { duration } from '../../envoy/durations.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import {
  BLACK_HOLE_CLUSTER,
  INBOUND_PASSTHROUGH_CLUSTER_IPV4,
  INBOUND_PASSTHROUGH_CLUSTER_IPV6,
  PASSTHROUGH_CLUSTER,
} from '../../envoy/names.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import { createMemo } from '../../model/memo.js';
import type { ProxyType } from '../../model/proxy.js';
import { type AddressFamilies, addressFamiliesOf } from '../address-families.js';
import type { ResourcePart, Scope } from '../generator.js';
import { bindToInboundSource, buildClusterBase } from './cluster-defaults.js';
import type { UpstreamProtocols } from './upstream-protocols.js';

export interface FixedScope extends Scope {
  readonly proxyType: ProxyType;
  readonly families: AddressFamilies;
}

/**
 * The clusters for traffic to unknown addresses (docs/reference/xds.md#names): they pass it on or close it. Routers
 * have none of the inbound ones, because they take no inbound traffic for a workload.
 */
export function createFixedPart(encoder: MessageEncoder, protocols: UpstreamProtocols): ResourcePart<FixedScope> {
  const memo = createMemo<readonly EncodedResource[]>();

  const passthrough = (name: string, connectTimeoutMs: number): Cluster => ({
    ...buildClusterBase(name, connectTimeoutMs),
    type: 'ORIGINAL_DST',
    lbPolicy: 'CLUSTER_PROVIDED',
    ...protocols.passthrough,
  });

  const build = (connectTimeoutMs: number, { proxyType, families }: FixedScope): readonly EncodedResource[] => {
    const inbound = (name: string, family: AddressFamilies): Cluster => ({
      ...passthrough(name, connectTimeoutMs),
      ...bindToInboundSource(family),
    });
    const clusters: Cluster[] = [
      { name: BLACK_HOLE_CLUSTER, type: 'STATIC', connectTimeout: duration(connectTimeoutMs) },
      passthrough(PASSTHROUGH_CLUSTER, connectTimeoutMs),
    ];
    const isSidecar = proxyType === 'sidecar';
    if (isSidecar && families.ipv4) {
      clusters.push(inbound(INBOUND_PASSTHROUGH_CLUSTER_IPV4, { ipv4: true, ipv6: false }));
    }
    if (isSidecar && families.ipv6) {
      clusters.push(inbound(INBOUND_PASSTHROUGH_CLUSTER_IPV6, { ipv4: false, ipv6: true }));
    }
    return clusters.map((cluster) => encoder.encodeResource(TypeUrl.cluster, cluster.name ?? '', cluster));
  };

  return {
    name: 'fixed',
    scope: (_context, { type, ipAddresses }) => {
      const families = addressFamiliesOf(ipAddresses);
      const key = `${type}|${families.ipv4 ? '4' : ''}${families.ipv6 ? '6' : ''}`;
      return { key, proxyType: type, families };
    },
    generate: ({ mesh }, scope) => ({
      resources: memo.of([mesh], scope.key, () => build(mesh.connectTimeoutMs, scope)),
      findings: [],
    }),
  };
}
