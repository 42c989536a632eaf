/**
 * The metadata of a configuration object, the same for every source (docs/reference/policy-kinds.md#envelope; core
 * Kubernetes objects have the same metadata).
 */
export interface ObjectMeta {
  readonly name: string;
  /** Empty for cluster-scoped kinds (Node, Namespace). */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** RFC 3339; absent if the source does not know it. */
  readonly creationTimestamp?: string;
  readonly generation?: number;
  /** Changes whenever the object's content changes: the API server's value, or a content hash from files. */
  readonly resourceVersion: string;
}

/** One object as the model reads it: validated, with defaults, and immutable. */
export interface MeshObject<Kind extends string = string, Body = unknown> {
  readonly kind: Kind;
  /** `group/version`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  /** The part that the kind's schema describes: `spec`, or for Kubernetes' own kinds the fields of the object. */
  readonly body: Body;
  /**
   * `cluster`: the object comes from an API server. Its author may have rights in one namespace only, so it affects other
   * namespaces only as far as they allow. Absent: the object comes from a file of the operator, which may affect every
   * namespace.
   */
  readonly origin?: 'cluster';
  /**
   * The keys of the objects from which the control plane made this one, the most important first. Absent: the object is
   * applied, by a file or at an API server.
   */
  readonly derivedFrom?: readonly [ObjectKey, ...ObjectKey[]];
}

/** The name of an object in the whole mesh: `<Kind>/<namespace>/<name>`, as /debug/config_distribution takes it. */
export type ObjectKey = string;

export function objectKey(kind: string, namespace: string, name: string): ObjectKey {
  return `${kind}/${namespace}/${name}`;
}

/** The namespace in an object key; empty for cluster-scoped kinds. */
export function namespaceOfKey(key: ObjectKey): string {
  return key.split('/')[1] ?? '';
}

export function keyOf(object: MeshObject): ObjectKey {
  return objectKey(object.kind, object.metadata.namespace, object.metadata.name);
}
