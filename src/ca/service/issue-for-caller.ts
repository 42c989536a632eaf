import type { KeyObject } from 'node:crypto';
import { parseSpiffeId } from '../../model/spiffe-id.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Caller } from '../authentication/authenticator.js';
import { type CertificateAuthority, SigningError } from '../authority/certificate-authority.js';
import type { MeshCertificateRequest } from './certificate-messages.js';

export interface IssueForCallerOptions {
  readonly authority: CertificateAuthority;
  /**
   * The public key of a PKCS #10 request whose signature proves the private key.
   *
   * @throws SigningError CSR_ERROR
   */
  readRequest(csr: string): Promise<KeyObject>;
  /** Trust domains for which our authority signs. */
  isOwnTrustDomain(trustDomain: string): boolean;
  readonly metrics: Metrics;
}

/** @returns the certificate chain of the response. @throws CallFailure, SigningError */
export type IssueForCaller = (caller: Caller, request: MeshCertificateRequest) => Promise<readonly string[]>;

/**
 * Signs a certificate for the identity of the caller. Only the key and the duration of the request are used
 * (docs/reference/certificate-authority.md#signing).
 */
export function createIssueForCaller(options: IssueForCallerOptions): IssueForCaller {
  const { authority, metrics } = options;
  return async (caller, { csr, validitySeconds }) => {
    const identities = caller.identities.filter((identity) => {
      const trustDomain = parseSpiffeId(identity)?.trustDomain;
      return trustDomain !== undefined && options.isOwnTrustDomain(trustDomain);
    });
    if (identities.length === 0) {
      metrics.increment('ca_server_id_extraction_err_count');
      const whose = caller.identities.join(', ').slice(0, MAX_SHOWN_LENGTH);
      throw new CallFailure('PERMISSION_DENIED', `this authority signs for its own trust domain, not for ${whose}`);
    }
    const publicKey = await options.readRequest(csr).catch((error: unknown) => {
      if (error instanceof SigningError) metrics.increment('ca_server_csr_parsing_err_count');
      throw error;
    });
    const { chain } = await authority.issue({
      publicKey,
      subjectAltNames: identities.map((value) => ({ type: 'uri', value })),
      ttlMs: validitySeconds * 1000,
    });
    const [leaf = '', ...intermediates] = chain;
    return [leaf, ...(intermediates.length === 0 ? [] : [intermediates.join('')]), authority.bundle().roots.join('')];
  };
}

const MAX_SHOWN_LENGTH = 512;

/** gRPC status codes of failed CreateCertificate calls. */
export type CallFailureCode =
  | 'INVALID_ARGUMENT'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'CANCELLED'
  | 'UNIMPLEMENTED'
  | 'INTERNAL';

/** The error that a caller gets instead of a certificate. */
export class CallFailure extends Error {
  readonly code: CallFailureCode;

  constructor(code: CallFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CallFailure';
    this.code = code;
  }
}
