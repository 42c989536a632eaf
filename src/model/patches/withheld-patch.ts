/** A patch that a proxy does not get, because Envoy rejected resources with it. */
export interface WithheldPatch {
  /** `Patch.id`: a patch with another content is not withheld. */
  readonly id: string;
  /** Names of the resources that it does not change; undefined for all resources of the type. */
  readonly resources: ReadonlySet<string> | undefined;
  /**
   * Shown on the EnvoyFilter. Has the error text of Envoy, of limited length. Undefined while it is not known whether
   * this patch or another one is the cause.
   */
  readonly reason: string | undefined;
}

export function isWithheldFrom({ resources }: WithheldPatch, resource: string): boolean {
  return resources === undefined || resources.has(resource);
}
