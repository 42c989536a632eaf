import type { KeyObject } from 'node:crypto';
import { parseSpiffeId } from '../../model/identity/spiffe-id.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Caller } from '../authentication/authenticator.js';
import { type CertificateAuthority, SigningError } from '../authority/certificate-authority.js';
import { CallFailure } from './call-failure.js';
import type { MeshCertificateRequest } from './certificate-messages.js';

export interface IssueForCallerOptions {
  readonly authority: CertificateAuthority;
  /**
   * The key of a PKCS #10 request whose sender has proven to hold it.
   *
   * @throws SigningError CSR_ERROR
   */
  readRequest(csr: string): Promise<KeyObject>;
  /** Trust domains that our authority vouches for. */
  isOwnTrustDomain(trustDomain: string): boolean;
  readonly metrics: Metrics;
}

/** @returns the chain of a certificate for the caller, as the response has it. @throws CallFailure, SigningError */
export type IssueForCaller = (caller: Caller, request: MeshCertificateRequest) => Promise<readonly string[]>;

/** Signs for whom the caller is; of what it asks for, the key and the duration are taken alone (BEHAVIOUR 4). */
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
