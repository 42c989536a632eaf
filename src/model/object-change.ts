import type { MeshObject } from '../config/object.js';

/** A change of one object in a source. */
export type ObjectChange =
  | { readonly type: 'upsert'; readonly object: MeshObject }
  | { readonly type: 'delete'; readonly kind: string; readonly namespace: string; readonly name: string };

/**
 * Changes of one atomic step of a source (one file reload, one informer event). The stores apply the batch as a whole.
 */
export interface ChangeBatch {
  /** The cluster the objects live in: `--clusterID` for files, the remote cluster's id otherwise. */
  readonly cluster: string;
  readonly changes: readonly ObjectChange[];
  /**
   * Whether the upserts are the full content of the cluster: all its other objects are removed. Equal resource versions
   * do not mean equal objects then, because they may come from another API server. Default false.
   */
  readonly replacesCluster?: boolean;
}
