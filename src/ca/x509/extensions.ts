import { createHash, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { SubjectAltName } from '../authority/certificate-authority.js';
import { childrenOf, readDer } from './der-reader.js';
import { bitString, DER_TAG, DER_TRUE, der, octetString, oid, sequence } from './der-writer.js';

const OIDS = {
  subjectKeyIdentifier: oid('2.5.29.14'),
  keyUsage: oid('2.5.29.15'),
  subjectAltName: oid('2.5.29.17'),
  basicConstraints: oid('2.5.29.19'),
  authorityKeyIdentifier: oid('2.5.29.35'),
  extendedKeyUsage: oid('2.5.29.37'),
} as const;

const SERVER_AUTH = oid('1.3.6.1.5.5.7.3.1');
const CLIENT_AUTH = oid('1.3.6.1.5.5.7.3.2');
/** Bits from the left: digitalSignature and keyEncipherment, or keyCertSign and cRLSign (RFC 5280 4.2.1.3). */
const LEAF_USAGE = bitString(Buffer.from([0b1010_0000]), 5);
const AUTHORITY_USAGE = bitString(Buffer.from([0b0000_0110]), 1);
const IMPLICIT_0 = 0x80;
const ASCII = /^[!-~]+$/;

export interface LeafNames {
  readonly subjectAltNames: readonly SubjectAltName[];
  /** Key identifier of the issuer; undefined if its certificate has none. */
  readonly authorityKeyId: Buffer | undefined;
}

/**
 * Extensions of a workload or server certificate (docs/reference/certificate-authority.md#signing). The names are
 * critical because the subject is empty (RFC 5280 4.2.1.6).
 *
 * @throws TypeError for a name that a certificate cannot hold
 */
export function leafExtensions({ subjectAltNames, authorityKeyId }: LeafNames): Buffer {
  if (subjectAltNames.length === 0) throw new TypeError('a certificate needs a subject alternative name');
  return sequence(
    extension(OIDS.keyUsage, LEAF_USAGE, true),
    extension(OIDS.extendedKeyUsage, sequence(SERVER_AUTH, CLIENT_AUTH)),
    extension(OIDS.basicConstraints, sequence(), true),
    ...(authorityKeyId === undefined
      ? []
      : [extension(OIDS.authorityKeyIdentifier, sequence(der(IMPLICIT_0, authorityKeyId)))]),
    extension(OIDS.subjectAltName, sequence(...subjectAltNames.map(generalName)), true),
  );
}

/** Extensions of a root certificate that signs leaves. */
export function authorityExtensions(keyId: Buffer): Buffer {
  return sequence(
    extension(OIDS.keyUsage, AUTHORITY_USAGE, true),
    extension(OIDS.basicConstraints, sequence(DER_TRUE), true),
    extension(OIDS.subjectKeyIdentifier, octetString(keyId)),
  );
}

/** Whether an extension is a subject key identifier. */
export function isSubjectKeyIdentifier(name: Buffer): boolean {
  return name.equals(OIDS.subjectKeyIdentifier);
}

/** RFC 5280 4.2.1.2, method 1: SHA-1 of the key bits. It identifies a key and proves nothing. */
export function keyIdOf(publicKey: KeyObject): Buffer {
  const [info] = readDer(publicKey.export({ type: 'spki', format: 'der' }));
  const [, bits] = childrenOf(info, DER_TAG.sequence);
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? '')
    .digest();
}

function extension(name: Buffer, value: Buffer, isCritical = false): Buffer {
  return isCritical ? sequence(name, DER_TRUE, octetString(value)) : sequence(name, octetString(value));
}

/** RFC 5280 4.2.1.6, GeneralName. */
function generalName({ type, value }: SubjectAltName): Buffer {
  if (type === 'ip') {
    if (isIP(value) === 0) throw new TypeError(`${JSON.stringify(value)} is not an IP address`);
    return der(0x87, Buffer.from(ipaddr.parse(value).toByteArray()));
  }
  if (!ASCII.test(value)) throw new TypeError(`${JSON.stringify(value)} is not a name of visible ASCII characters`);
  return der(type === 'dns' ? 0x82 : 0x86, Buffer.from(value, 'latin1'));
}
