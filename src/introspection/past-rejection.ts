import type { ObjectKey } from '../config/object.js';
import type { EncodedResource } from '../envoy/encoded-resource.js';

/** A response that a proxy rejected, as pages show it. The proxy may have accepted a later one. */
export interface PastRejection {
  readonly at: Date;
  /** `<node id>-<counter>` */
  readonly connection: string;
  readonly typeUrl: string;
  readonly nonce: string;
  readonly code: string;
  /** The text of the proxy. */
  readonly message: string;
  /** The objects that may have caused it; none if they are not known. */
  readonly causes: readonly ObjectKey[];
  /** The resources that the proxy had; undefined for old rejections, and if it had accepted nothing. */
  readonly accepted?: readonly EncodedResource[];
  /** The resources that the proxy rejected; undefined for old rejections. */
  readonly offered?: readonly EncodedResource[];
}
