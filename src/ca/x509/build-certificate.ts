import { type KeyObject, randomBytes } from 'node:crypto';
import { bitString, DER_TAG, der, oid, sequence, time, unsignedInteger } from './der-writer.js';
import type { Signer } from './signatures.js';

/** What a certificate says (RFC 5280 4.1.2). Names and extensions are DER. */
export interface CertificateContent {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  /** SEQUENCE OF Extension. */
  readonly extensions: Buffer;
}

/** A subject that is empty: the alternative names say who it is. */
export const EMPTY_NAME: Buffer = sequence();

const ORGANIZATION = oid('2.5.4.10');
const VERSION_3 = der(0xa0, unsignedInteger(Buffer.from([2])));
const SERIAL_OCTETS = 16;

/** A distinguished name that has an organization, and nothing else. */
export function organizationName(organization: string): Buffer {
  const value = der(DER_TAG.utf8String, Buffer.from(organization, 'utf8'));
  return sequence(der(DER_TAG.set, sequence(ORGANIZATION, value)));
}

/** @returns the certificate, DER; its serial number is 128 random bits. */
export async function buildCertificate(content: CertificateContent, signer: Signer): Promise<Buffer> {
  const toBeSigned = sequence(
    VERSION_3,
    unsignedInteger(randomSerial()),
    signer.algorithm,
    content.issuer,
    sequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    content.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, content.extensions),
  );
  return sequence(toBeSigned, signer.algorithm, bitString(await signer.sign(toBeSigned)));
}

/** RFC 5280 4.1.2.2 wants it positive, and at most 20 octets. */
function randomSerial(): Buffer {
  const serial = randomBytes(SERIAL_OCTETS);
  if (serial.every((octet) => octet === 0)) serial.writeUInt8(1, SERIAL_OCTETS - 1);
  return serial;
}
