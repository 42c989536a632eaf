import { X509Certificate } from 'node:crypto';
import { childrenOf, contentOf, type DerElement, DerError, readDer } from './der-reader.js';
import { DER_TAG } from './der-writer.js';
import { isSubjectKeyIdentifier } from './extensions.js';
import { PemError, parsePem } from './pem.js';

/** Fields of a certificate that `X509Certificate` lacks, or returns as text. */
export interface CertificateFields {
  /** The subject, in the octets that certificates of this issuer contain as issuer. */
  readonly subject: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly subjectKeyId: Buffer | undefined;
}

/**
 * The certificates of a text, in order, at least one.
 *
 * @throws PemError that names the invalid block
 */
export function parseCertificates(text: string): readonly X509Certificate[] {
  const blocks = parsePem(text);
  if (blocks.length === 0) throw new PemError('no PEM block "CERTIFICATE" is in it');
  return blocks.map(({ label, der }, index) => {
    const where = `block ${index + 1} (${label})`;
    if (label !== 'CERTIFICATE') throw new PemError(`${where} is not a CERTIFICATE`);
    const certificate = parseCertificate(der);
    if (certificate === undefined) throw new PemError(`${where} is not an X.509 certificate`);
    return certificate;
  });
}

/** @throws DerError for a certificate that OpenSSL accepts although it is malformed */
export function readCertificateFields({ raw }: X509Certificate): CertificateFields {
  const [certificate] = readDer(raw);
  const [toBeSigned] = childrenOf(certificate, DER_TAG.sequence);
  const [version, , , , validity, subject, , ...rest] = childrenOf(toBeSigned, DER_TAG.sequence);
  if (version?.tag !== 0xa0) throw new DerError('its version is not 3');
  const [notBefore, notAfter] = childrenOf(validity, DER_TAG.sequence);
  contentOf(subject, DER_TAG.sequence);
  return {
    subject: subject?.raw ?? Buffer.alloc(0),
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
    subjectKeyId: readSubjectKeyId(rest.find(({ tag }) => tag === 0xa3)),
  };
}

function parseCertificate(octets: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(octets);
    // Key and dates are read later, and OpenSSL accepts certificates in which those are malformed.
    readCertificateFields(certificate);
    return certificate.raw.equals(octets) && certificate.publicKey.type === 'public' ? certificate : undefined;
  } catch {
    return undefined;
  }
}

function readSubjectKeyId(extensions: DerElement | undefined): Buffer | undefined {
  if (extensions === undefined) return undefined;
  const [list] = readDer(extensions.content);
  for (const each of childrenOf(list, DER_TAG.sequence)) {
    const [name, ...values] = childrenOf(each, DER_TAG.sequence);
    if (name === undefined || !isSubjectKeyIdentifier(name.raw)) continue;
    const [id] = readDer(contentOf(values.at(-1), DER_TAG.octetString));
    return contentOf(id, DER_TAG.octetString);
  }
  return undefined;
}

const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

function readTime(element: DerElement | undefined): Date {
  const isShort = element?.tag === DER_TAG.utcTime;
  const digits = contentOf(element, isShort ? DER_TAG.utcTime : DER_TAG.generalizedTime).toString('latin1');
  // Two-digit years mean 1950 to 2049 (RFC 5280 4.1.2.5.1).
  const century = Number(digits.slice(0, 2)) < 50 ? '20' : '19';
  const [, ...parts] = TIME.exec(isShort ? century + digits : digits) ?? [];
  const [year, month, day, hour, minute, second] = parts.map(Number);
  if (year === undefined || second === undefined) throw new DerError('a time is not in the form of certificates');
  return new Date(Date.UTC(year, (month ?? 1) - 1, day, hour, minute, second));
}
