import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { encodeExtensionConfig } from '../../../envoy/extension-config.js';
import type { MessageEncoder, PackedAny } from '../../../envoy/message-encoder.js';
import { createMemo } from '../../../model/memo.js';
import { bucketKindsFor } from '../../../model/policy/fast/fast-specs.js';
import { ownFailPolicyOf } from '../../../model/policy/own-fail-policy.js';
import type { Service } from '../../../model/service.js';
import type { PolicyFacts } from '../proxy-facts.js';
import { createFastFilters } from './fast-filters.js';
import type { FastService } from './fast-services.js';

/**
 * The configuration of a filter of fast quotas.
 *
 * @param fast undefined once the last fast QuotaSpec of the service is gone, until the listener has changed
 */
export type FastFilterConfig = (
  mesh: MeshConfig,
  facts: PolicyFacts,
  name: string,
  filter: 'fastQuotas' | 'fastGuard',
  service: Service,
  fast: FastService | undefined,
) => EncodedResource;

export function createFastFilterConfigs(encoder: MessageEncoder): FastFilterConfig {
  const filters = createFastFilters(encoder);
  const active = createMemo<EncodedResource>();
  const idle = createMemo<EncodedResource>();
  return (mesh, { policy, identity }, name, filter, service, fast) => {
    const cluster = policy.transport.checkCluster;
    const encode = (config: PackedAny): EncodedResource => encodeExtensionConfig(encoder, name, config);
    const { policy: failPolicy } = ownFailPolicyOf(service, mesh.policy) ?? policy.transport.networkFailPolicy;
    const labels = identity.labels ?? {};
    const kinds = fast === undefined || !policy.inboundChecks ? [] : bucketKindsFor(fast.specs, labels);
    if (fast === undefined || kinds.length === 0 || (filter === 'fastGuard' && failPolicy === 'FAIL_OPEN')) {
      return idle.of([mesh], `${name}\n${cluster}`, () => encode(filters.idle(cluster)));
    }
    const { hostname } = service;
    return active.of([fast.specs], JSON.stringify([name, cluster, hostname, labels]), () =>
      encode(filter === 'fastGuard' ? filters.guard(cluster, hostname) : filters.quotas(cluster, hostname, kinds)),
    );
  };
}
