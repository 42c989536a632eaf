import { type KeyObject, randomBytes } from 'node:crypto';
import { bitString, DER_TAG, der, oid, sequence, time, unsignedInteger } from './der-writer.js';
import type { Signer } from './signatures.js';

/** The content of a certificate (RFC 5280 4.1.2). Names and extensions are DER. */
export interface CertificateContent {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  /** SEQUENCE OF Extension. */
  readonly extensions: Buffer;
}

/** An empty subject: the alternative names identify the subject. */
export const EMPTY_NAME: Buffer = sequence();

const ORGANIZATION = oid('2.5.4.10');
const VERSION_3 = der(0xa0, unsignedInteger(Buffer.from([2])));
const SERIAL_OCTETS = 16;

/** A distinguished name with an organization only. */
export function organizationName(organization: string): Buffer {
  const value = der(DER_TAG.utf8String, Buffer.from(organization, 'utf8'));
  return sequence(der(DER_TAG.set, sequence(ORGANIZATION, value)));
}

/** @returns the certificate, DER, with a random serial number of 128 bits */
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

/** RFC 5280 4.1.2.2 requires a positive number of at most 20 octets. */
function randomSerial(): Buffer {
  const serial = randomBytes(SERIAL_OCTETS);
  if (serial.every((octet) => octet === 0)) serial.writeUInt8(1, SERIAL_OCTETS - 1);
  return serial;
}
