/** One xDS resource, encoded once for all streams (docs/architecture.md#rules-that-keep-it-fast). */
export interface EncodedResource {
  readonly name: string;
  /** Hash of the resource's bytes, or an equivalent: equal names and versions have equal content. */
  readonly version: string;
  /**
   * The `google.protobuf.Any` framed as field 2: tag, length, bytes. DiscoveryResponse.resources and
   * Resource.resource both have number 2, so the same bytes serve state-of-the-world and delta.
   */
  readonly entry: Buffer;
  /** Of a cluster: the name of the endpoint assignment that it waits for, if it differs from the cluster's name. */
  readonly assignment?: string;
  /**
   * The entry without its wrapper, if `entry` is a wrapper that adds the name. Delta responses have the names of all
   * resources, so they need no wrapper.
   */
  readonly bareEntry?: Buffer;
  /** Other names that a delta response answers with this resource. */
  readonly aliases?: readonly string[];
  /** Ids of the patches of EnvoyFilters that changed it, in order; absent if there are none. */
  readonly patches?: readonly string[];
  /** The resource stands for a name that does not exist. A delta response reports the name as removed instead. */
  readonly isUnknown?: boolean;
}
