import { createPrivateKey, createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { ACCEPTED_KEYS, keyWeakness } from '../x509/key-rules.js';
import { PemError } from '../x509/pem.js';
import { parseCertificates, readCertificateFields } from '../x509/read-certificate.js';
import type { MaterialProblem, MaterialTexts, SigningMaterial } from './signing-material.js';

export type CheckedMaterial =
  | { readonly type: 'material'; readonly material: SigningMaterial }
  | { readonly type: 'problem'; readonly problem: MaterialProblem };

/** A longer chain is a mistake or a loop. */
const MAX_INTERMEDIATES = 10;

/**
 * Turns texts into signing material, or names the first problem. It checks that the key fits the certificate and is
 * strong enough, that the certificate may sign others, and that valid signatures lead to one of the roots. It does not
 * check the time: an expired authority is still loaded, and refuses to sign.
 */
export function checkMaterial(texts: MaterialTexts): CheckedMaterial {
  try {
    return { type: 'material', material: assemble(texts) };
  } catch (error) {
    if (error instanceof MaterialError) return { type: 'problem', problem: error.problem };
    throw error;
  }
}

class MaterialError extends Error {
  readonly problem: MaterialProblem;

  constructor(part: keyof MaterialTexts, problem: string, remedy: string) {
    super(problem);
    this.problem = { part, problem, remedy };
  }
}

function assemble(texts: MaterialTexts): SigningMaterial {
  const [certificate] = readCertificates(texts, 'certificate');
  if (certificate === undefined) throw new MaterialError('certificate', 'has no certificate', 'put one into it');
  const privateKey = readPrivateKey(texts.privateKey);
  if (!certificate.checkPrivateKey(privateKey)) {
    const remedy = 'put the key that the certificate was made for into it, or the certificate of this key beside it';
    throw new MaterialError('privateKey', 'does not belong to the certificate', remedy);
  }
  if (!certificate.ca) {
    const remedy = 'have one issued with basicConstraints CA:TRUE and key usage keyCertSign';
    throw new MaterialError('certificate', `is not of a CA (${nameOf(certificate)})`, remedy);
  }
  const pool = texts.chain.trim() === '' ? [] : readCertificates(texts, 'chain');
  const trusted = distinct(readCertificates(texts, 'roots'));
  // Some verifiers accept only a self-signed certificate as the end of a chain.
  const anchors = trusted.filter((each) => hasIssued(each, each));
  const path = pathOf(certificate, [...pool, ...trusted], anchors);
  const root = path.at(-1) ?? certificate;
  return {
    privateKey,
    certificate,
    intermediates: path.slice(0, -1),
    roots: [root, ...anchors.filter((each) => each !== root)],
    notAfter: new Date(Math.min(...path.map((each) => readCertificateFields(each).notAfter.getTime()))),
  };
}

function readPrivateKey(text: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch {
    // The original error may contain parts of the key.
    const isEncrypted = text.includes('ENCRYPTED');
    const problem = isEncrypted ? 'is encrypted' : 'is not a private key in PEM';
    throw new MaterialError('privateKey', problem, 'write the key as PKCS #8 or PKCS #1 PEM without a passphrase');
  }
  const weakness = keyWeakness(createPublicKey(key));
  if (weakness === undefined) return key;
  throw new MaterialError('privateKey', `is too weak (${weakness})`, `make a CA with a key of ${ACCEPTED_KEYS}`);
}

function readCertificates(texts: MaterialTexts, part: 'certificate' | 'chain' | 'roots'): readonly X509Certificate[] {
  try {
    return parseCertificates(texts[part]);
  } catch (error) {
    if (!(error instanceof PemError)) throw error;
    throw new MaterialError(part, `cannot be read: ${error.message}`, 'write X.509 certificates as PEM into it');
  }
}

/** The chain from a certificate to its root, both included; one item if the certificate is a root. */
function pathOf(
  certificate: X509Certificate,
  pool: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): readonly X509Certificate[] {
  const path = [certificate];
  for (let last = certificate; path.length <= MAX_INTERMEDIATES; ) {
    const same = roots.find((root) => root.raw.equals(last.raw));
    if (same !== undefined) return [...path.slice(0, -1), same];
    const root = roots.find((each) => hasIssued(each, last));
    if (root !== undefined) return [...path, root];
    const next = pool.find((each) => !path.some((known) => known.raw.equals(each.raw)) && hasIssued(each, last));
    if (next === undefined) throw unrooted(last);
    path.push(next);
    last = next;
  }
  throw unrooted(path.at(-1) ?? certificate);
}

function unrooted(last: X509Certificate): MaterialError {
  const problem = `does not lead to a root: nothing has issued ${nameOf(last)}, whose issuer is ${oneLine(last.issuer)}`;
  const remedy = 'put what is between the certificate and its root into the chain, and the root among the roots';
  return new MaterialError('chain', problem, remedy);
}

function hasIssued(issuer: X509Certificate, subject: X509Certificate): boolean {
  if (!issuer.ca || !subject.checkIssued(issuer)) return false;
  try {
    return subject.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function distinct(certificates: readonly X509Certificate[]): readonly X509Certificate[] {
  return certificates.filter((each, index) => certificates.findIndex(({ raw }) => raw.equals(each.raw)) === index);
}

/** For messages: subject and serial number. */
function nameOf({ subject, serialNumber }: X509Certificate): string {
  return `${oneLine(subject)}, serial ${serialNumber}`;
}

/** Node writes each part of a name on its own line, and undefined for an empty name. */
function oneLine(name: string | undefined): string {
  return name === undefined || name === '' ? 'an empty name' : name.replaceAll('\n', ', ');
}
