import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { CertificateAuthority, SubjectAltName } from '../authority/certificate-authority.js';
import { createChangeListeners } from '../change-listeners.js';
import { createBundleJudge } from '../renewal/judge-bundle.js';
import { createRenewedCertificate } from '../renewal/renewed-certificate.js';
import type { ServerCertificateSource } from './server-certificate-source.js';

export interface SignedCertificateOptions {
  readonly authority: CertificateAuthority;
  readonly names: readonly SubjectAltName[];
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
}

/**
 * NAV_CERT_PROVIDER `meshd`: a certificate of our own authority
 * (docs/reference/certificate-authority.md#server-certificate). It has the lifetime of a workload certificate and is
 * renewed in the same way. The key stays in memory, so no file can leak it.
 */
export function createSignedCertificate(options: SignedCertificateOptions): ServerCertificateSource {
  const { authority, names, clock, logger, random } = options;
  const listeners = createChangeListeners();
  const certificate = createRenewedCertificate({
    authority,
    judge: createBundleJudge(),
    subjectAltNames: names,
    clock,
    logger,
    random,
    onChange: listeners.tell,
  });
  const endListening = authority.onChange(listeners.tell);
  return {
    current: () => {
      const present = certificate.current();
      if (present === undefined) return undefined;
      return { privateKey: present.privateKey, certificateChain: present.certificateChain };
    },
    caBundle: () => {
      const { roots } = authority.bundle();
      return roots.length === 0 ? undefined : roots.join('');
    },
    onChange: listeners.add,
    start: certificate.start,
    stop: async () => {
      endListening();
      certificate.close();
    },
  };
}
