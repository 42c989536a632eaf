import type { MeshObject } from '../config/object.js';

/** What happened to one object in a source. */
export type ObjectChange =
  | { readonly type: 'upsert'; readonly object: MeshObject }
  | { readonly type: 'delete'; readonly kind: string; readonly namespace: string; readonly name: string };

/**
 * Changes that belong together: a source hands over one batch per atomic step (one file reload, one
 * informer event), and the stores apply it as a whole.
 */
export interface ChangeBatch {
  /** The cluster the objects live in: `--clusterID` for files, the remote cluster's id otherwise. */
  readonly cluster: string;
  readonly changes: readonly ObjectChange[];
  /**
   * What is upserted is all that the cluster has: whatever else it had is gone, and equal versions do not mean equal
   * objects, for they may be another API server's. Default false.
   */
  readonly replacesCluster?: boolean;
}
