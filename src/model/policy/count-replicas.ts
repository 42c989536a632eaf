import type { Endpoint } from '../endpoint.js';
import type { PushContext } from '../push-context.js';

/** The number of replicas of a host. */
export interface ReplicaCount {
  /** Healthy replicas: each address counts once. */
  readonly ready: number;
  /** The largest number of pods of one revision of a Deployment. During a rollout there are two revisions. */
  readonly alike: number;
}

/** Label of the pods of a revision of a Deployment. */
const REVISION_LABEL = 'pod-template-hash';

type Mesh = Pick<PushContext, 'domain' | 'endpoints' | 'servicesByHost'>;

/**
 * Counts the replicas behind a host name.
 *
 * @param host full, or without the domain of the cluster: `meshd.mesh-system.svc`
 * @returns undefined where the mesh has no service of this host
 */
export function countReplicas({ domain, endpoints, servicesByHost }: Mesh, host: string): ReplicaCount | undefined {
  const hostname = [host, `${host}.${domain}`].find((each) => servicesByHost.has(each));
  if (hostname === undefined) return undefined;
  const byAddress = new Map<string, Endpoint>();
  for (const shard of endpoints.get(hostname)?.shards.values() ?? []) {
    for (const endpoint of shard) if (endpoint.health === 'healthy') byAddress.set(endpoint.address, endpoint);
  }
  const byRevision = new Map<string, number>();
  for (const { labels } of byAddress.values()) {
    const revision = labels[REVISION_LABEL];
    if (revision !== undefined) byRevision.set(revision, (byRevision.get(revision) ?? 0) + 1);
  }
  return { ready: byAddress.size, alike: Math.max(0, ...byRevision.values()) };
}
