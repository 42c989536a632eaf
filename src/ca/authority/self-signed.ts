import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { buildCertificate } from '../x509/build-certificate.js';
import { authorityExtensions, keyIdOf } from '../x509/extensions.js';
import { formatPem } from '../x509/pem.js';
import { createSigner } from '../x509/signatures.js';
import { validityFrom } from './validity.js';

export interface SelfSignedOptions {
  /**
   * DER: `organizationName` with the trust domain (docs/reference/certificate-authority.md#ca-material), or the subject
   * of the root that it replaces.
   */
  readonly subject: Buffer;
  /** Key identifier of the root that it replaces; undefined computes it from the key. */
  readonly keyId: Buffer | undefined;
  /** CA_SELF_SIGNED_CA_CERT_TTL */
  readonly ttlMs: number;
  readonly now: Date;
}

/** A root and its key, PEM. */
export interface SelfSignedRoot {
  readonly privateKey: string;
  readonly certificate: string;
}

const generate = promisify(generateKeyPair);

/**
 * @param bits CA_SELF_SIGNED_CA_RSA_KEY_SIZE. 2048 bits take a tenth of a second, more bits take seconds, off the main
 *   thread.
 */
export async function generateRootKey(bits: number): Promise<KeyObject> {
  const { privateKey } = await generate('rsa', { modulusLength: bits });
  return privateKey;
}

/** Creates a root certificate for a new key or, in a rotation, for the present one. */
export async function createSelfSignedRoot(privateKey: KeyObject, options: SelfSignedOptions): Promise<SelfSignedRoot> {
  const { subject, keyId, ttlMs, now } = options;
  const publicKey = createPublicKey(privateKey);
  const extensions = authorityExtensions(keyId ?? keyIdOf(publicKey));
  const content = { issuer: subject, subject, ...validityFrom(now, ttlMs), publicKey, extensions };
  const certificate = await buildCertificate(content, createSigner(privateKey));
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: formatPem('CERTIFICATE', certificate),
  };
}
