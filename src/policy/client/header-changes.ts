/** Name in lower case, and value. */
export type Header = readonly [name: string, value: string];

/** The changes of rules to the headers of a request that passes, and of its response. */
export interface HeaderChanges {
  /** They replace those of the request. */
  readonly requestToSet: readonly Header[];
  readonly requestToRemove: readonly string[];
  /** They replace those of the response. */
  readonly responseToSet: readonly Header[];
  /** The response gets them in addition. A name may come several times. */
  readonly responseToAdd: readonly Header[];
}
