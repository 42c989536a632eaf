import { createPublicKey, type KeyObject } from 'node:crypto';
import { childrenOf, readDer } from './der-reader.js';
import { DER_TAG } from './der-writer.js';

/** P-256 and P-384 in the names of OpenSSL. */
const CURVES: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1']);
const MIN_RSA_BITS = 2048;
/** Verifying signatures of longer keys takes seconds. */
const MAX_RSA_BITS = 8192;
const MIN_RSA_EXPONENT = 65_537n;
const MAX_RSA_EXPONENT = 2n ** 32n;

/** The accepted keys, for messages. */
export const ACCEPTED_KEYS = `RSA of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, or EC on P-256 or P-384`;

/** The reason why a key is too weak, or of a kind that some verifiers do not support; undefined for an accepted key. */
export function keyWeakness(key: KeyObject): string | undefined {
  const { modulusLength, publicExponent, namedCurve } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa': {
      const bits = modulusLength ?? 0;
      if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) return `RSA of ${bits} bits`;
      const exponent = publicExponent ?? 0n;
      if (exponent < MIN_RSA_EXPONENT || exponent > MAX_RSA_EXPONENT) return `RSA with exponent ${exponent}`;
      return undefined;
    }
    case 'ec':
      // OpenSSL recognises a curve that is given by its parameters; other verifiers reject it.
      if (namedCurve === undefined || !namesItsCurve(key)) return 'EC on a curve without a name';
      return CURVES.has(namedCurve) ? undefined : `EC on ${namedCurve}`;
    default:
      return `of type ${key.asymmetricKeyType ?? 'unknown'}`;
  }
}

/** Whether SubjectPublicKeyInfo names the curve by an object identifier. */
function namesItsCurve(key: KeyObject): boolean {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const [info] = readDer(publicKey.export({ type: 'spki', format: 'der' }));
  const [algorithm] = childrenOf(info, DER_TAG.sequence);
  const [, parameters] = childrenOf(algorithm, DER_TAG.sequence);
  return parameters?.tag === DER_TAG.oid;
}
