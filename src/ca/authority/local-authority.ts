import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import { createChangeListeners } from '../change-listeners.js';
import { buildCertificate, EMPTY_NAME } from '../x509/build-certificate.js';
import { leafExtensions } from '../x509/extensions.js';
import { formatPem } from '../x509/pem.js';
import { type CertificateFields, readCertificateFields } from '../x509/read-certificate.js';
import { createSigner, type Signer } from '../x509/signatures.js';
import {
  type CertificateAuthority,
  type IssuedCertificate,
  type IssueRequest,
  SigningError,
  type TrustBundle,
} from './certificate-authority.js';
import type { SigningMaterial } from './signing-material.js';
import { leafTtlMs, type TtlLimits, validityFrom } from './validity.js';

export interface LocalAuthorityOptions {
  readonly clock: Clock;
  readonly ttls: TtlLimits;
}

/** An authority that signs in this process, with the newest material that it was given. */
export interface LocalAuthority extends CertificateAuthority {
  /** The current material; undefined before the first `replace`. */
  material(): SigningMaterial | undefined;
  /** Signs with other material from now on, and calls the listeners. */
  replace(material: SigningMaterial): void;
}

/** Material with values that are computed once. */
interface Prepared {
  readonly material: SigningMaterial;
  readonly signer: Signer;
  readonly issuer: CertificateFields;
  readonly bundle: TrustBundle;
}

const EMPTY_BUNDLE: TrustBundle = { roots: [], intermediates: [] };

export function createLocalAuthority({ clock, ttls }: LocalAuthorityOptions): LocalAuthority {
  const listeners = createChangeListeners();
  let present: Prepared | undefined;

  const issue = async ({ publicKey, subjectAltNames, ttlMs }: IssueRequest): Promise<IssuedCertificate> => {
    if (present === undefined) throw new SigningError('CA_NOT_READY', 'the certificate authority has no key yet');
    const { material, signer, issuer, bundle } = present;
    const now = clock.now();
    const remainingMs = material.notAfter.getTime() - now.getTime();
    if (remainingMs <= 0) {
      const message = `the certificates of the certificate authority expired at ${material.notAfter.toISOString()}`;
      throw new SigningError('CA_NOT_READY', message);
    }
    const { notAfter, ...begin } = validityFrom(now, leafTtlMs(ttlMs, ttls, remainingMs));
    const validity = { notBefore: latest(begin.notBefore, issuer.notBefore), notAfter };
    try {
      const extensions = leafExtensions({ subjectAltNames, authorityKeyId: issuer.subjectKeyId });
      const content = { issuer: issuer.subject, subject: EMPTY_NAME, ...validity, publicKey, extensions };
      const leaf = formatPem('CERTIFICATE', await buildCertificate(content, signer));
      return { chain: [leaf, ...bundle.intermediates], ...validity };
    } catch (cause) {
      const why = errorText(cause);
      throw new SigningError('CERT_GEN_ERROR', `a certificate could not be made: ${why}`, { cause });
    }
  };

  return {
    issue,
    bundle: () => present?.bundle ?? EMPTY_BUNDLE,
    material: () => present?.material,
    replace: (material) => {
      present = prepare(material);
      listeners.tell();
    },
    onChange: listeners.add,
  };
}

function prepare(material: SigningMaterial): Prepared {
  return {
    material,
    signer: createSigner(material.privateKey),
    issuer: readCertificateFields(material.certificate),
    bundle: { roots: material.roots.map(pemOf), intermediates: material.intermediates.map(pemOf) },
  };
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
}

function pemOf({ raw }: X509Certificate): string {
  return formatPem('CERTIFICATE', raw);
}
