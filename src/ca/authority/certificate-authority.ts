import type { KeyObject } from 'node:crypto';

/** The certificates that verify those of this authority. All PEM. */
export interface TrustBundle {
  /** All trusted roots, the signing one first; more than one during a rotation. */
  readonly roots: readonly string[];
  /** Intermediates between a leaf and its root, the issuer of the leaf first; empty if the root signs. */
  readonly intermediates: readonly string[];
}

/** A subject alternative name. */
export type SubjectAltName =
  | { readonly type: 'uri'; readonly value: string }
  | { readonly type: 'dns'; readonly value: string }
  | { readonly type: 'ip'; readonly value: string };

export interface IssueRequest {
  /** The caller has proven that it holds the private key, or this process made the key. */
  readonly publicKey: KeyObject;
  /** At least one; from the authenticated identity, never from the text of a request. */
  readonly subjectAltNames: readonly SubjectAltName[];
  /** Zero or less: DEFAULT_WORKLOAD_CERT_TTL (docs/reference/errors.md#failures). */
  readonly ttlMs: number;
}

export interface IssuedCertificate {
  /** PEM: the leaf, then the intermediates; never the root. */
  readonly chain: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * Reason of a failure to sign; the label `error` of `ca_server_csr_sign_err_count`
 * (docs/reference/metrics.md#certificate-authority).
 */
export type SigningErrorCode = 'CA_NOT_READY' | 'CSR_ERROR' | 'TTL_ERROR' | 'CERT_GEN_ERROR';

export class SigningError extends Error {
  readonly code: SigningErrorCode;

  constructor(code: SigningErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SigningError';
    this.code = code;
  }
}

/**
 * Signs certificates. Its key and roots may change at run time (docs/reference/certificate-authority.md#ca-material,
 * docs/reference/certificate-authority.md#rotation).
 */
export interface CertificateAuthority {
  bundle(): TrustBundle;
  /** @throws SigningError */
  issue(request: IssueRequest): Promise<IssuedCertificate>;
  /** Called after the bundle or the signing key has changed. @returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
}
