import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { isRecord } from '../../base/record.js';

/** The public keys of an issuer of JWTs, or the reason why a text has none. */
export type KeySetReading =
  | { readonly type: 'keys'; readonly text: string }
  | { readonly type: 'fault'; readonly reason: string };

/** Longest text of a key set that proxies get, in bytes. */
export const MAX_KEY_SET_BYTES = 64 * 1024;
const MAX_KEYS = 64;
const MAX_KEY_ID_LENGTH = 1024;
/** RFC 7518, section 3.3. */
const MIN_RSA_BITS = 2048;
/** A larger key would make each request expensive for the proxy. */
const MAX_RSA_BITS = 8192;
const MAX_EXPONENT_BITS = 32;

/** The fields of the public key, and its algorithms (RFC 7518, RFC 8037); Envoy supports no others. */
const KEY_TYPES: Readonly<Record<string, { readonly fields: readonly string[]; readonly algorithms: RegExp }>> = {
  RSA: { fields: ['n', 'e'], algorithms: /^[RP]S(256|384|512)$/ },
  EC: { fields: ['crv', 'x', 'y'], algorithms: /^ES(256|384|512)$/ },
  OKP: { fields: ['crv', 'x'], algorithms: /^EdDSA$/ },
  oct: { fields: ['k'], algorithms: /^HS(256|384|512)$/ },
};
const CURVES: Readonly<Record<string, readonly string[]>> = { EC: ['P-256', 'P-384', 'P-521'], OKP: ['Ed25519'] };

/**
 * Reads a JSON Web Key Set (RFC 7517). The result has only keys that Envoy can verify signatures with, and only the
 * fields that it needs for that: no private parts. Equal keys have equal texts.
 *
 * @param takesSecrets whether symmetric keys count: with a public one, every reader could sign tokens
 */
export function readKeySet(text: string, takesSecrets: boolean): KeySetReading {
  const set = parseJson(text);
  const keys = isRecord(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys)) return fault('is not a JSON Web Key Set: an object with a list "keys"');
  if (keys.length > MAX_KEYS) return fault(`has ${keys.length} keys, more than ${MAX_KEYS}`);
  const usable = keys.flatMap((key: unknown) => readKey(key, takesSecrets) ?? []);
  if (usable.length === 0) {
    return fault('has no key that verifies signatures: RSA of 2048 to 8192 bits, EC (P-256, P-384, P-521) or Ed25519');
  }
  const written = JSON.stringify({ keys: usable });
  if (Buffer.byteLength(written) > MAX_KEY_SET_BYTES) return fault(`has more than ${MAX_KEY_SET_BYTES} bytes of keys`);
  return { type: 'keys', text: written };
}

function fault(reason: string): KeySetReading {
  return { type: 'fault', reason };
}

/** @returns undefined for a key that verifies no signatures */
function readKey(key: unknown, takesSecrets: boolean): JsonWebKey | undefined {
  if (!isRecord(key) || typeof key['kty'] !== 'string') return undefined;
  const { kty, alg, kid, use } = key;
  const type = Object.hasOwn(KEY_TYPES, kty) ? KEY_TYPES[kty] : undefined;
  if (type === undefined || (use !== undefined && use !== 'sig')) return undefined;
  if (alg !== undefined && !(typeof alg === 'string' && type.algorithms.test(alg))) return undefined;
  if (kid !== undefined && !(typeof kid === 'string' && isPlainId(kid))) return undefined;
  const read: Record<string, string> = { kty };
  if (typeof kid === 'string') read['kid'] = kid;
  if (typeof alg === 'string') read['alg'] = alg;
  for (const field of type.fields) {
    const value = key[field];
    if (typeof value !== 'string' || !/^[\w-]+=*$/.test(value)) return undefined;
    read[field] = value;
  }
  if (kty === 'oct') return takesSecrets ? read : undefined;
  if (CURVES[kty]?.includes(read['crv'] ?? '') === false) return undefined;
  return isPublicKey(read) ? read : undefined;
}

function isPlainId(kid: string): boolean {
  return kid.length <= MAX_KEY_ID_LENGTH && !/\p{Surrogate}/u.test(kid);
}

function isPublicKey(key: JsonWebKey): boolean {
  if (key.kty === 'RSA' && !(isOdd(key.n, MAX_RSA_BITS) && isOdd(key.e, MAX_EXPONENT_BITS))) return false;
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' });
    if (key.kty !== 'RSA') return true;
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS;
  } catch {
    return false;
  }
}

/** OpenSSL accepts even numbers, which are no RSA keys; Envoy rejects them. */
function isOdd(number = '', maxBits: number): boolean {
  const bytes = Buffer.from(number, 'base64url');
  const last = bytes.at(-1) ?? 0;
  return bytes.length <= maxBits / 8 + 1 && last % 2 === 1 && !(bytes.length === 1 && last === 1);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
