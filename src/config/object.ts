/**
 * The envelope that every configuration object shares, whatever source it came from
 * (SPEC section 2.8, "Resource envelope shape"; core Kubernetes objects have the same metadata).
 */
export interface ObjectMeta {
  readonly name: string;
  /** Empty for cluster-scoped kinds (Node, Namespace). */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** RFC 3339; absent when the source does not know it. */
  readonly creationTimestamp?: string;
  readonly generation?: number;
  /** Changes whenever the object's content changes: the API server's value, or a content hash from files. */
  readonly resourceVersion: string;
}

/** One object as the model reads it: validated, defaulted, and never changed afterwards. */
export interface MeshObject<Kind extends string = string, Body = unknown> {
  readonly kind: Kind;
  /** `group/version`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  /** What the kind's schema describes: `spec` for most kinds, the top-level fields for Endpoints and EndpointSlice. */
  readonly body: Body;
  /**
   * `cluster`: an API server has it, whose users may have rights in one namespace alone, so that it acts on other
   * namespaces only as far as those allow. Absent: a file of the operator has it, which may act on every namespace.
   */
  readonly origin?: 'cluster';
}

/** Names one object across the mesh: `<Kind>/<namespace>/<name>`, as /debug/config_distribution takes it. */
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
