import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import test from 'ava';
import { MAX_KEY_SET_BYTES, readKeySet } from '../../../src/config/security/json-web-keys.js';

const rsa = (modulusLength: number, publicExponent = 0x10001) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent });
const jwkOf = ({ publicKey }: ReturnType<typeof rsa>): JsonWebKey => publicKey.export({ format: 'jwk' });
const RSA = rsa(2048);
const [CURVE] = [generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })];
const ED = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
const SECRET = { kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url') };

const setOf = (...keys: readonly unknown[]) => JSON.stringify({ keys });

function keysIn(text: string, takesSecrets = false): readonly JsonWebKey[] | string {
  const reading = readKeySet(text, takesSecrets);
  return reading.type === 'fault' ? reading.reason : (JSON.parse(reading.text) as { keys: JsonWebKey[] }).keys;
}

test('keys of RSA, elliptic curves and Ed25519 are kept, with their ids and algorithms', (t) => {
  const keys = [{ ...jwkOf(RSA), kid: 'a', alg: 'PS256' }, { ...CURVE, kid: 'b' }, ED];
  t.deepEqual(keysIn(setOf(...keys)), [
    { kty: 'RSA', kid: 'a', alg: 'PS256', n: keys[0]?.n ?? '', e: 'AQAB' },
    { kty: 'EC', kid: 'b', crv: 'P-256', x: CURVE?.x ?? '', y: CURVE?.y ?? '' },
    { kty: 'OKP', crv: 'Ed25519', x: ED.x ?? '' },
  ]);
});

test('private parts of a key reach no proxy', (t) => {
  const text = setOf(RSA.privateKey.export({ format: 'jwk' }));
  t.deepEqual(keysIn(text), [{ kty: 'RSA', n: jwkOf(RSA).n ?? '', e: 'AQAB' }]);
});

test('equal keys give equal texts, whatever else the document has', (t) => {
  const plain = readKeySet(setOf(jwkOf(RSA)), false);
  t.deepEqual(readKeySet(JSON.stringify({ issued: 1, keys: [{ x5t: 'a', use: 'sig', ...jwkOf(RSA) }] }), false), plain);
});

test('a symmetric key counts only where the document is not public', (t) => {
  t.deepEqual(keysIn(setOf(SECRET), true), [SECRET]);
  t.regex(String(keysIn(setOf(SECRET))), /^has no key that verifies signatures/);
});

const USELESS: Readonly<Record<string, unknown>> = {
  'a key for encryption': { ...jwkOf(RSA), use: 'enc' },
  'a key of another algorithm': { ...jwkOf(RSA), alg: 'RSA-OAEP' },
  'a short RSA key': jwkOf(rsa(1024)),
  'an RSA key with an even exponent': { ...jwkOf(RSA), e: 'Ag' },
  'an RSA key with exponent 1': { ...jwkOf(RSA), e: 'AQ' },
  'an RSA key with a long exponent': { ...jwkOf(RSA), e: Buffer.alloc(9, 1).toString('base64url') },
  'a very long RSA key': { ...jwkOf(RSA), n: Buffer.alloc(2049, 0xff).toString('base64url') },
  'a point beside its curve': { ...CURVE, y: CURVE?.x },
  'a curve that Envoy lacks': generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({
    format: 'jwk',
  }),
  'a key without its number': { kty: 'RSA', e: 'AQAB' },
  'a key with a number for an id': { ...jwkOf(RSA), kid: 1 },
  'a key with half of a surrogate pair in its id': { ...jwkOf(RSA), kid: '\ud800' },
  'an unknown type': { kty: 'constructor' },
  'a text': 'key',
};

for (const [what, key] of Object.entries(USELESS)) {
  test(`${what} is left out`, (t) => {
    t.deepEqual(keysIn(setOf(key, ED)), [{ kty: 'OKP', crv: 'Ed25519', x: ED.x ?? '' }]);
    t.regex(String(keysIn(setOf(key))), /^has no key that verifies signatures/);
  });
}

test('documents without a list of keys, and too large ones, are faults', (t) => {
  for (const text of ['', '[]', '{}', '{"keys": {}}', 'null', '{"keys": [}']) {
    t.is(keysIn(text), 'is not a JSON Web Key Set: an object with a list "keys"');
  }
  t.is(keysIn(setOf(...Array.from({ length: 65 }, () => ED))), 'has 65 keys, more than 64');
  const large = { ...jwkOf(rsa(8192)), kid: 'k'.repeat(1024) };
  t.is(keysIn(setOf(...Array.from({ length: 64 }, () => large))), `has more than ${MAX_KEY_SET_BYTES} bytes of keys`);
});
