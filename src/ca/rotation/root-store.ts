/** A self-signed root as it is kept, PEM. Never log it. */
export interface StoredRoot {
  readonly privateKey: string;
  readonly certificate: string;
  /** Earlier roots of the same key that are still trusted, the newest first; may be empty. */
  readonly earlierRoots: string;
}

/** A root, and which version of what is stored it is. */
export interface LoadedRoot {
  readonly root: StoredRoot;
  readonly version: string;
}

/** What is stored is no root, or cannot be had; the message names it, says why, and what to do. */
export class RootStoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RootStoreError';
  }
}

/** Where the root is that all replicas sign with. */
export interface RootStore {
  /** For messages: `secret mesh-system/mesh-ca-secret`. */
  readonly name: string;
  /**
   * @returns undefined when there is none yet.
   * @throws RootStoreError, or a network error.
   */
  load(): Promise<LoadedRoot | undefined>;
  /**
   * Stores a root in place of the one that was loaded, or as the first.
   *
   * @returns undefined when another replica was faster: nothing is stored.
   * @throws RootStoreError, or a network error, after which it may be stored or not.
   */
  save(root: StoredRoot, replaces: LoadedRoot | undefined): Promise<LoadedRoot | undefined>;
}

/** For a process without an orchestrator: its root ends with it. */
export function createMemoryRootStore(): RootStore {
  let stored: LoadedRoot | undefined;
  let version = 0;
  return {
    name: 'memory',
    load: async () => stored,
    save: async (root) => {
      version += 1;
      stored = { root, version: String(version) };
      return stored;
    },
  };
}
