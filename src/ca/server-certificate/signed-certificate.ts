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
 * NAV_CERT_PROVIDER `meshd`: signed by our own authority (BEHAVIOUR 4, "Server DNS cert"). It lasts as long as a
 * workload's and is renewed like one, in memory: a key that no file holds cannot be read, and one that is replaced each
 * day need not last as long as its root.
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
