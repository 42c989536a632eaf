import type { KeyObject } from 'node:crypto';

/** What verifies certificates of this authority. All PEM. */
export interface TrustBundle {
  /** Every root that is trusted at present, the signing one's first; more than one while roots rotate. */
  readonly roots: readonly string[];
  /** Intermediates between a leaf and its root, the leaf's issuer first; empty where the root signs. */
  readonly intermediates: readonly string[];
}

/** A name that a certificate holds for its subject. */
export type SubjectAltName =
  | { readonly type: 'uri'; readonly value: string }
  | { readonly type: 'dns'; readonly value: string }
  | { readonly type: 'ip'; readonly value: string };

export interface IssueRequest {
  /** Whose private key the caller has proven to hold, or that we made for it. */
  readonly publicKey: KeyObject;
  /** One or more; from the authenticated identity, never from a request's text. */
  readonly subjectAltNames: readonly SubjectAltName[];
  /** Zero or less: DEFAULT_WORKLOAD_CERT_TTL (SPEC 7). */
  readonly ttlMs: number;
}

export interface IssuedCertificate {
  /** PEM: the leaf, then the intermediates; never the root. */
  readonly chain: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Why nothing was signed, as `ca_server_csr_sign_err_count` labels it (BEHAVIOUR 1, "CA"). */
export type SigningErrorCode = 'CA_NOT_READY' | 'CSR_ERROR' | 'TTL_ERROR' | 'CERT_GEN_ERROR';

export class SigningError extends Error {
  readonly code: SigningErrorCode;

  constructor(code: SigningErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SigningError';
    this.code = code;
  }
}

/** Signs certificates. Its key and roots may change while it lives (BEHAVIOUR 4, "CA material", "Rotator"). */
export interface CertificateAuthority {
  bundle(): TrustBundle;
  /** @throws SigningError */
  issue(request: IssueRequest): Promise<IssuedCertificate>;
  /** Called after the bundle or the signing key has changed. @returns ends it. */
  onChange(listener: () => void): () => void;
}
