import type { KeyObject } from 'node:crypto';
import { EMPTY_NAME } from './build-certificate.js';
import { bitString, der, sequence, unsignedInteger } from './der-writer.js';
import { formatPem } from './pem.js';
import { createSigner } from './signatures.js';

const VERSION_1 = unsignedInteger(Buffer.from([0]));
/** `[0] Attributes`, an empty set. */
const NO_ATTRIBUTES = der(0xa0);

/**
 * A PKCS #10 request (RFC 2986), PEM. It names no subject, because the identity of the caller names the certificate
 * (docs/reference/certificate-authority.md#signing).
 */
export async function buildCertificateRequest(privateKey: KeyObject, publicKey: KeyObject): Promise<string> {
  const signer = createSigner(privateKey);
  const info = sequence(VERSION_1, EMPTY_NAME, publicKey.export({ type: 'spki', format: 'der' }), NO_ATTRIBUTES);
  return formatPem('CERTIFICATE REQUEST', sequence(info, signer.algorithm, bitString(await signer.sign(info))));
}
