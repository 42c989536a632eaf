import { type KeyObject, sign, verify } from 'node:crypto';
import { DER_TAG, der, oid, sequence } from './der-writer.js';

interface SignatureAlgorithm {
  readonly keyType: 'rsa' | 'ec';
  readonly hash: 'sha256' | 'sha384' | 'sha512';
  /** OBJECT IDENTIFIER, DER. */
  readonly name: Buffer;
}

/** RFC 4055 section 5, RFC 5758 section 3.2. */
const ALGORITHMS: readonly SignatureAlgorithm[] = [
  { keyType: 'rsa', hash: 'sha256', name: oid('1.2.840.113549.1.1.11') },
  { keyType: 'rsa', hash: 'sha384', name: oid('1.2.840.113549.1.1.12') },
  { keyType: 'rsa', hash: 'sha512', name: oid('1.2.840.113549.1.1.13') },
  { keyType: 'ec', hash: 'sha256', name: oid('1.2.840.10045.4.3.2') },
  { keyType: 'ec', hash: 'sha384', name: oid('1.2.840.10045.4.3.3') },
  { keyType: 'ec', hash: 'sha512', name: oid('1.2.840.10045.4.3.4') },
];

/** Signs certificates, off the main thread. */
export interface Signer {
  /** AlgorithmIdentifier, DER. */
  readonly algorithm: Buffer;
  sign(octets: Buffer): Promise<Buffer>;
}

/** @param key a private key that `keyWeakness` accepts */
export function createSigner(key: KeyObject): Signer {
  const hash = key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'sha384' : 'sha256';
  const algorithm = ALGORITHMS.find((each) => each.keyType === key.asymmetricKeyType && each.hash === hash);
  if (algorithm === undefined) throw new TypeError(`keys of type ${key.asymmetricKeyType} do not sign certificates`);
  // RSA algorithms have null parameters, EC algorithms have none.
  const parameters = algorithm.keyType === 'rsa' ? [der(DER_TAG.null)] : [];
  return {
    algorithm: sequence(algorithm.name, ...parameters),
    sign: (octets) =>
      new Promise((resolve, reject) => {
        sign(hash, octets, key, (error, signature) => (error === null ? resolve(signature) : reject(error)));
      }),
  };
}

export interface SignedOctets {
  readonly octets: Buffer;
  /** The signature algorithm: OBJECT IDENTIFIER, DER. */
  readonly algorithm: Buffer;
  readonly signature: Buffer;
  readonly publicKey: KeyObject;
}

/** Whether the holder of the private key made the signature, with a current algorithm; checked off the main thread. */
export async function verifySignature({ octets, algorithm, signature, publicKey }: SignedOctets): Promise<boolean> {
  const keyType = publicKey.asymmetricKeyType;
  const known = ALGORITHMS.find((each) => each.keyType === keyType && each.name.equals(algorithm));
  if (known === undefined) return false;
  return await new Promise((resolve) => {
    // OpenSSL throws for a malformed signature instead of returning false.
    verify(known.hash, octets, publicKey, signature, (error, isGood) => resolve(error === null && isGood));
  });
}
