import type { RegisteredCluster } from './cluster-secrets.js';

/** A registration that is not used. */
export interface RefusedCluster {
  readonly cluster: RegisteredCluster;
  /** The reason and the remedy. */
  readonly reason: string;
}

export interface ClusterChoice {
  /** By id. */
  readonly chosen: ReadonlyMap<string, RegisteredCluster>;
  readonly refused: readonly RefusedCluster[];
}

/**
 * Decides which of several secrets registers an id: the oldest one. A later secret cannot take over a cluster, and
 * every replica decides alike.
 *
 * @param taken ids of clusters that are read already, each with its origin
 */
export function chooseClusters(
  registered: readonly RegisteredCluster[],
  taken: ReadonlyMap<string, string>,
): ClusterChoice {
  const chosen = new Map<string, RegisteredCluster>();
  const refused: RefusedCluster[] = [];
  for (const cluster of registered.toSorted(compareAge)) {
    const { id } = cluster;
    const other = taken.get(id) ?? chosen.get(id)?.secret;
    if (other === undefined) chosen.set(id, cluster);
    else refused.push({ cluster, reason: `cluster ${id} is ${other} already; remove this key, or give it another id` });
  }
  return { chosen, refused };
}

function compareAge(first: RegisteredCluster, second: RegisteredCluster): number {
  const [a, b] = [`${first.since} ${first.secret}`, `${second.since} ${second.secret}`];
  return a < b ? -1 : a > b ? 1 : 0;
}
