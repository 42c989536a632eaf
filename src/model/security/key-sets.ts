/** The keys of one issuer, as they were fetched. */
export interface KeySet {
  /** A JSON Web Key Set with public keys only. */
  readonly text: string;
  /** Equal texts have equal versions. */
  readonly version: string;
}

/**
 * The fetched keys of JWT rules, by the id of their source. A source without keys is absent: its tokens are rejected.
 * The same object while no keys change.
 */
export type KeySets = ReadonlyMap<string, KeySet>;

/** Why a source of keys has no current ones. */
export interface KeySourceProblem {
  readonly reason: string;
  /** Whether earlier keys still count. */
  readonly hasKeys: boolean;
  /** The setting that refuses the source; undefined where a fetch failed. */
  readonly refusedBy?: string;
}

export const NO_KEY_SETS: KeySets = new Map();
