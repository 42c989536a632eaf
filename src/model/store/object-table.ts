import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { BucketedMapWriter } from '../bucketed-map.js';

/**
 * All objects of all clusters. Snapshots show one object per key: that of the own cluster of the control plane, or else
 * of the first other cluster by name.
 */
export class ObjectTable {
  readonly #ownCluster: string;
  readonly #byCluster = new Map<string, Map<ObjectKey, MeshObject>>();
  readonly #byKind = new Map<string, BucketedMapWriter<MeshObject>>();
  /** Those that are made from other objects; an applied object of the same key wins. */
  readonly #derived = new Map<ObjectKey, MeshObject>();
  #snapshot: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>> | undefined;

  constructor(ownCluster: string) {
    this.#ownCluster = ownCluster;
  }

  get(cluster: string, key: ObjectKey): MeshObject | undefined {
    return this.#byCluster.get(cluster)?.get(key);
  }

  set(cluster: string, object: MeshObject): void {
    let objects = this.#byCluster.get(cluster);
    if (objects === undefined) {
      objects = new Map();
      this.#byCluster.set(cluster, objects);
    }
    const key = keyOf(object);
    objects.set(key, object);
    this.#show(object.kind, key);
  }

  /** @returns the previous object */
  delete(cluster: string, key: ObjectKey): MeshObject | undefined {
    const objects = this.#byCluster.get(cluster);
    const object = objects?.get(key);
    if (object === undefined) return undefined;
    objects?.delete(key);
    if (objects?.size === 0) this.#byCluster.delete(cluster);
    this.#show(object.kind, key);
    return object;
  }

  setDerived(object: MeshObject): void {
    const key = keyOf(object);
    this.#derived.set(key, object);
    this.#show(object.kind, key);
  }

  deleteDerived(object: MeshObject): void {
    const key = keyOf(object);
    this.#derived.delete(key);
    this.#show(object.kind, key);
  }

  /** The object that snapshots show under a key. */
  shown(kind: string, key: ObjectKey): MeshObject | undefined {
    return this.#byKind.get(kind)?.get(key);
  }

  /** Whether the cluster has any object. */
  has(cluster: string): boolean {
    return this.#byCluster.has(cluster);
  }

  keysOf(cluster: string): readonly ObjectKey[] {
    return [...(this.#byCluster.get(cluster)?.keys() ?? [])];
  }

  snapshot(): ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>> {
    this.#snapshot ??= new Map([...this.#byKind].map(([kind, objects]) => [kind, objects.snapshot()]));
    return this.#snapshot;
  }

  #show(kind: string, key: ObjectKey): void {
    let objects = this.#byKind.get(kind);
    if (objects === undefined) {
      objects = new BucketedMapWriter();
      this.#byKind.set(kind, objects);
    }
    const shown = this.#shown(key);
    if (shown === undefined) objects.delete(key);
    else objects.set(key, shown);
    this.#snapshot = undefined;
  }

  #shown(key: ObjectKey): MeshObject | undefined {
    return this.#applied(key) ?? this.#derived.get(key);
  }

  #applied(key: ObjectKey): MeshObject | undefined {
    const own = this.#byCluster.get(this.#ownCluster)?.get(key);
    if (own !== undefined || this.#byCluster.size === 1) return own ?? this.#ofOnlyCluster(key);
    const cluster = [...this.#byCluster.keys()].sort().find((name) => this.#byCluster.get(name)?.has(key));
    return cluster === undefined ? undefined : this.#byCluster.get(cluster)?.get(key);
  }

  #ofOnlyCluster(key: ObjectKey): MeshObject | undefined {
    const [objects] = this.#byCluster.values();
    return objects?.get(key);
  }
}
