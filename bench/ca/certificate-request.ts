import { generateKeyPairSync } from 'node:crypto';
import { EMPTY_NAME } from '../../src/ca/x509/build-certificate.js';
import { bitString, der, sequence, unsignedInteger } from '../../src/ca/x509/der-writer.js';
import { formatPem } from '../../src/ca/x509/pem.js';
import { createSigner } from '../../src/ca/x509/signatures.js';

/** A certificate signing request by a new P-256 key, PEM. */
export async function createCertificateRequest(): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = createSigner(privateKey);
  const noAttributes = der(0xa0);
  const version = unsignedInteger(Buffer.from([0]));
  const info = sequence(version, EMPTY_NAME, publicKey.export({ type: 'spki', format: 'der' }), noAttributes);
  return formatPem('CERTIFICATE REQUEST', sequence(info, signer.algorithm, bitString(await signer.sign(info))));
}
