import { createPublicKey, type KeyObject } from 'node:crypto';
import { SigningError } from '../authority/certificate-authority.js';
import { childrenOf, contentOf, type DerElement, DerError, readDer } from './der-reader.js';
import { DER_TAG } from './der-writer.js';
import { ACCEPTED_KEYS, keyWeakness } from './key-rules.js';
import { type PemBlock, parsePem } from './pem.js';
import { type SignedOctets, verifySignature } from './signatures.js';

/** A request with the largest accepted key and many names has about 4 KiB. */
const MAX_REQUEST_CHARACTERS = 32 * 1024;
const LABELS: readonly string[] = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'];

/**
 * Reads the public key of a PKCS #10 request (RFC 2986) after the signature of the request has proven the private key.
 *
 * All names in the request are ignored, a common name too: the authenticated identity names the certificate
 * (docs/reference/certificate-authority.md#signing).
 *
 * @param text one PEM block, with only white space around it
 * @throws SigningError CSR_ERROR
 */
export async function readCertificateRequest(text: string): Promise<KeyObject> {
  const request = parseRequest(parseOneBlock(text));
  const weakness = keyWeakness(request.publicKey);
  if (weakness !== undefined) {
    throw refusal(`the key of the certificate signing request is not accepted: ${weakness}; use ${ACCEPTED_KEYS}`);
  }
  if (await verifySignature(request)) return request.publicKey;
  throw refusal(
    'the signature of the certificate signing request is not by the private key of its public key; ' +
      'sign the request with that key and SHA-256, SHA-384 or SHA-512',
  );
}

function parseOneBlock(text: string): Buffer {
  if (text.length > MAX_REQUEST_CHARACTERS) throw notEncoded(`longer than ${MAX_REQUEST_CHARACTERS} characters`);
  const trimmed = text.trim();
  let blocks: readonly PemBlock[];
  try {
    blocks = parsePem(trimmed);
  } catch (cause) {
    throw notEncoded('not PEM', { cause });
  }
  const [block, ...others] = blocks;
  if (block === undefined || others.length > 0) throw notEncoded(`${blocks.length} PEM blocks instead of one`);
  if (!LABELS.includes(block.label)) throw notEncoded(`a PEM block of a ${block.label.toLowerCase()}`);
  if (!trimmed.startsWith('-----BEGIN ') || !trimmed.endsWith('-----')) throw notEncoded('text around its PEM block');
  return block.der;
}

function parseRequest(octets: Buffer): SignedOctets {
  try {
    const [request, ...rest] = readDer(octets);
    const [info, algorithm, signature, ...more] = childrenOf(request, DER_TAG.sequence);
    const [version, subject, subjectKey] = childrenOf(info, DER_TAG.sequence);
    const [name] = childrenOf(algorithm, DER_TAG.sequence);
    const bits = contentOf(signature, DER_TAG.bitString);
    if (rest.length + more.length > 0) throw new DerError('something follows the request');
    if (!contentOf(version, DER_TAG.integer).equals(Buffer.from([0]))) throw new DerError('its version is not 1');
    if (bits[0] !== 0) throw new DerError('its signature is not of whole octets');
    contentOf(name, DER_TAG.oid);
    contentOf(subject, DER_TAG.sequence);
    contentOf(subjectKey, DER_TAG.sequence);
    return {
      octets: rawOf(info),
      algorithm: rawOf(name),
      signature: bits.subarray(1),
      publicKey: createPublicKey({ key: rawOf(subjectKey), format: 'der', type: 'spki' }),
    };
  } catch (cause) {
    throw refusal('failed to parse X.509 certificate signing request', { cause });
  }
}

function rawOf(element: DerElement | undefined): Buffer {
  return element?.raw ?? Buffer.alloc(0);
}

function notEncoded(why: string, options?: ErrorOptions): SigningError {
  return refusal(`certificate signing request is not properly encoded (${why})`, options);
}

function refusal(message: string, options?: ErrorOptions): SigningError {
  return new SigningError('CSR_ERROR', message, options);
}
