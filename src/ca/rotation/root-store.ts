/** A stored self-signed root, PEM. Never log it. */
export interface StoredRoot {
  readonly privateKey: string;
  readonly certificate: string;
  /** Earlier roots of the same key that are still trusted, newest first; may be empty. */
  readonly earlierRoots: string;
}

/** A root and its version in the store. */
export interface LoadedRoot {
  readonly root: StoredRoot;
  readonly version: string;
}

/** The stored root is invalid or cannot be accessed. The message names it, the reason and the remedy. */
export class RootStoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RootStoreError';
  }
}

/** The place of the root with which all replicas sign. */
export interface RootStore {
  /** For messages: `secret mesh-system/mesh-ca-secret`. */
  readonly name: string;
  /**
   * @returns undefined when there is none yet
   * @throws RootStoreError, or a network error
   */
  load(): Promise<LoadedRoot | undefined>;
  /**
   * Replaces the loaded root, or stores the first one.
   *
   * @returns undefined when another replica was faster; then nothing is stored
   * @throws RootStoreError, or a network error, after which the root may or may not be stored
   */
  save(root: StoredRoot, replaces: LoadedRoot | undefined): Promise<LoadedRoot | undefined>;
}

/** For a process without an orchestrator. The root is lost when the process ends. */
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
