import type { CredentialReader, CredentialStore } from './credential.js';

/** Readers of credentials, one for each namespace. */
export interface CredentialReaders {
  /** The reader of a namespace, which the first call opens. */
  of(namespace: string): CredentialReader;
  /** The reader of a namespace that is open already. */
  opened(namespace: string): CredentialReader | undefined;
  /** Closes all readers. A later call of `of` would open another one. */
  close(): void;
}

/** @param onChange called when a credential of an open namespace may have changed */
export function createCredentialReaders(store: CredentialStore, onChange: () => void): CredentialReaders {
  const readers = new Map<string, CredentialReader>();
  return {
    of: (namespace) => {
      const known = readers.get(namespace);
      if (known !== undefined) return known;
      const reader = store.open(namespace, onChange);
      readers.set(namespace, reader);
      return reader;
    },
    opened: (namespace) => readers.get(namespace),
    close: () => {
      for (const reader of readers.values()) reader.close();
      readers.clear();
    },
  };
}
