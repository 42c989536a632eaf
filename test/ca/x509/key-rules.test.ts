import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import test from 'ava';
import { keyWeakness } from '../../../src/ca/x509/key-rules.js';

/** A key that nobody has the other half of. */
function rsaOf(bits: number, exponent: string): KeyObject {
  const modulus = randomBytes(bits / 8);
  modulus.writeUInt8(modulus.readUInt8(0) | 0x80, 0);
  modulus.writeUInt8(modulus.readUInt8(modulus.length - 1) | 1, modulus.length - 1);
  const e = Buffer.from(exponent, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'RSA', n: modulus.toString('base64url'), e }, format: 'jwk' });
}

test('strong keys of common kinds are accepted, public and private', (t) => {
  for (const { publicKey, privateKey } of [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ]) {
    t.is(keyWeakness(publicKey), undefined);
    t.is(keyWeakness(privateKey), undefined);
  }
  t.is(keyWeakness(rsaOf(8192, '010001')), undefined);
});

for (const [what, key, weakness] of [
  ['RSA that is too short', () => rsaOf(2040, '010001'), 'RSA of 2040 bits'],
  ['RSA that takes verifiers too long', () => rsaOf(8200, '010001'), 'RSA of 8200 bits'],
  ['RSA with a small exponent', () => rsaOf(2048, '03'), 'RSA with exponent 3'],
  [
    'RSA with an exponent that takes verifiers too long',
    () => rsaOf(2048, '0100000001'),
    'RSA with exponent 4294967297',
  ],
  ['RSA for PSS alone', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey, 'of type rsa-pss'],
  ['Ed25519', () => generateKeyPairSync('ed25519').publicKey, 'of type ed25519'],
  ['EC on P-521', () => generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey, 'EC on secp521r1'],
] as const) {
  test(`${what} is not accepted`, (t) => {
    t.is(keyWeakness(key()), weakness);
  });
}
