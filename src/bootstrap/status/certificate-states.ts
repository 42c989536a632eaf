import type { CertificateUse } from '../../model/gateway-api/report.js';
import type { CredentialStore } from '../../model/gateways/credential.js';
import { createCredentialReaders } from '../../model/gateways/credential-readers.js';

/** Whether the Secrets of listeners can be used. A namespace is read from the first question about it on. */
export interface CertificateStates {
  /** Why a Secret cannot be used; undefined where it can, or while it is being read. */
  problemOf(use: CertificateUse): string | undefined;
  close(): void;
}

/** @param onChange called when an answer may have changed */
export function createCertificateStates(store: CredentialStore, onChange: () => void): CertificateStates {
  const readers = createCredentialReaders(store, onChange);
  let isClosed = false;
  return {
    problemOf: ({ namespace, name }) => {
      if (isClosed) return undefined;
      const reader = readers.of(namespace);
      const state = reader.read(name, 'certificate');
      return state.type === 'unusable' ? state.reason : reader.staleReasonOf(name, 'certificate');
    },
    close: () => {
      isClosed = true;
      readers.close();
    },
  };
}
