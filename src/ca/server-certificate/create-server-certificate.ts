import path from 'node:path';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { CertificateAuthority } from '../authority/certificate-authority.js';
import { createFileCertificate } from './file-certificate.js';
import { ServerCertificateError, type ServerCertificateSource } from './server-certificate-source.js';
import { type ServerNameSettings, serverNames } from './server-names.js';
import { createSignedCertificate } from './signed-certificate.js';

export interface ServerCertificateOptions extends ServerNameSettings {
  /** NAV_CERT_PROVIDER */
  readonly provider: string;
  /** --tlsCertFile, --tlsKeyFile and --caCertFile; empty where not set. */
  readonly tlsCertFile: string;
  readonly tlsKeyFile: string;
  readonly caCertFile: string;
  /** Undefined if ENABLE_CA_SERVER is off. */
  readonly authority: CertificateAuthority | undefined;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
}

/**
 * Chooses the source of the server's own certificate (docs/reference/certificate-authority.md#server-certificate): the
 * files of three flags, else our authority, else a folder.
 *
 * @throws ServerCertificateError for a provider that does not exist
 */
export function createServerCertificate(options: ServerCertificateOptions): ServerCertificateSource {
  const { provider, tlsCertFile, tlsKeyFile, caCertFile, clock, logger } = options;
  const flags = { '--tlsCertFile': tlsCertFile, '--tlsKeyFile': tlsKeyFile, '--caCertFile': caCertFile };
  const missing = Object.entries(flags).flatMap(([flag, file]) => (file === '' ? [flag] : []));
  if (missing.length === 0) {
    const files = { privateKey: tlsKeyFile, certificateChain: tlsCertFile, roots: caCertFile };
    return createFileCertificate({ setting: Object.keys(flags).join(', '), files, clock, logger });
  }
  if (missing.length < 3) {
    const remedy = `set ${missing.join(' and ')} too`;
    logger.warn({ provider, remedy }, 'certificate file flags incomplete, NAV_CERT_PROVIDER used');
  }
  switch (provider) {
    case 'meshd':
      return createSignedCertificate({ ...options, authority: authorityOf(options), names: serverNames(options) });
    case 'orchestrator':
      throw new ServerCertificateError(
        'NAV_CERT_PROVIDER=orchestrator: Kubernetes has no signer for certificates of services ' +
          '(certificates.k8s.io/v1 has no kubernetes.io/legacy-unknown); use meshd, or a folder into which ' +
          'cert-manager or another tool writes key.pem, cert-chain.pem and root-cert.pem',
      );
    default:
      return createFileCertificate({ setting: 'NAV_CERT_PROVIDER', files: filesIn(provider), clock, logger });
  }
}

function authorityOf({ authority }: ServerCertificateOptions): CertificateAuthority {
  if (authority !== undefined) return authority;
  throw new ServerCertificateError(
    'NAV_CERT_PROVIDER=meshd: there is no certificate authority; set ENABLE_CA_SERVER=true, or NAV_CERT_PROVIDER to a ' +
      'folder with key.pem, cert-chain.pem and root-cert.pem',
  );
}

function filesIn(folder: string) {
  return {
    privateKey: path.join(folder, 'key.pem'),
    certificateChain: path.join(folder, 'cert-chain.pem'),
    roots: path.join(folder, 'root-cert.pem'),
  };
}
