import type { RegisteredCluster } from './cluster-secrets.js';

/** A registration that does not count. */
export interface RefusedCluster {
  readonly cluster: RegisteredCluster;
  /** Why, and what to do. */
  readonly reason: string;
}

export interface ClusterChoice {
  /** By id. */
  readonly chosen: ReadonlyMap<string, RegisteredCluster>;
  readonly refused: readonly RefusedCluster[];
}

/**
 * Decides which secret has an id that several have: the oldest, so that whoever comes later takes nothing over, and
 * every replica decides alike.
 *
 * @param taken ids of clusters that are read already, with who they are
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
