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

/** What an API server asks: may this be done (BEHAVIOUR 3, "Common envelope"). The same in admission v1 and v1beta1. */
export interface AdmissionRequest {
  /** Names this one question; the reply repeats it. */
  readonly uid: string;
  /** Of `object`, in the version that the webhook is registered for. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** For example `status`; empty for the object itself. */
  readonly subResource: string;
  /** CREATE, UPDATE, DELETE, CONNECT, or what API servers may add. */
  readonly operation: string;
  /** Empty while an object to be created has only a `generateName`. */
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** Nothing is kept of what is asked; an answer must not have effects either. */
  readonly dryRun: boolean;
  /** As parsed and not checked in any way; undefined on DELETE. */
  readonly object: unknown;
  /** What is there now; undefined on CREATE. */
  readonly oldObject: unknown;
}
