import type { CredentialPart } from './credential-names.js';
import type { CredentialUser } from './credential-references.js';

/** What a credential (`credentialName`) has for one of its parts. The same object while it stays the same. */
export type CredentialState =
  /** PEM. Never share, show or log the key. @param expiresAtMs end of its validity, since 1970 */
  | {
      readonly type: 'certificate';
      readonly chain: string;
      readonly privateKey: string;
      readonly expiresAtMs?: number;
    }
  | { readonly type: 'roots'; readonly roots: string }
  /** Not read yet. */
  | { readonly type: 'loading' }
  /** Missing or malformed. @param reason with a remedy, and without any content of the secret */
  | { readonly type: 'unusable'; readonly reason: string };

/** The credentials of one namespace, for one reader. */
export interface CredentialReader {
  read(credentialName: string, part: CredentialPart): CredentialState;
  /** Why the newest content of the credential is not in force, although `read` gives an earlier one. */
  staleReasonOf(credentialName: string, part: CredentialPart): string | undefined;
  close(): void;
}

/** Has the credentials of namespaces. */
export interface CredentialStore {
  /** @param onChange called when a credential of the namespace may have changed */
  open(namespace: string, onChange: () => void): CredentialReader;
  stop(): Promise<void>;
}

/** A credential that a connected router needs, and that is missing, malformed or expired. */
export interface CredentialProblem extends CredentialUser {
  /** With a remedy, and without any content of the secret. */
  readonly text: string;
}
