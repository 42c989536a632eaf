export interface GroupVersionKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface GroupVersionResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural. */
  readonly resource: string;
}

/** The request in an AdmissionReview; equal in admission v1 and v1beta1. */
export interface AdmissionRequest {
  /** Identifies the request; the response repeats it. */
  readonly uid: string;
  /** Kind of `object`, in the version of the webhook's rule. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** For example `status`; empty for the object itself. */
  readonly subResource: string;
  /** CREATE, UPDATE, DELETE, CONNECT, or a later operation. */
  readonly operation: string;
  /** Empty if a new object has only a `generateName`. */
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** The API server stores nothing, and the handler must have no effects either. */
  readonly dryRun: boolean;
  /** Parsed but not checked; undefined on DELETE. */
  readonly object: unknown;
  /** The present version; undefined on CREATE. */
  readonly oldObject: unknown;
}
