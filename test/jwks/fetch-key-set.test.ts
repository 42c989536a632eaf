import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import test from 'ava';
import { keySourceOf } from '../../src/config/security/key-source.js';
import { fetchKeySet } from '../../src/jwks/fetch-key-set.js';

/** With its fields in the order in which proxies get them. */
const keyOf = ({ kty, crv, x }: JsonWebKey) => ({ kty, crv, x });
const KEYS = JSON.stringify({ keys: [keyOf(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }))] });
const ISSUER = 'https://issuer.example.com/';
const CONFIGURATION = 'https://issuer.example.com/.well-known/openid-configuration';

async function fetchWith(documents: Readonly<Record<string, string>>, issuer = ISSUER, jwksUri = '') {
  const source = keySourceOf({ issuer, jwksUri, forwardOriginalToken: false });
  if (source === undefined) throw new Error('the rule has its keys itself');
  const { text } = await fetchKeySet(source, async (url) => documents[url] ?? Promise.reject(new Error(`no ${url}`)));
  return text;
}

const configuration = (fields: object) => ({ [CONFIGURATION]: JSON.stringify(fields) });

test('keys come from jwksUri, or from the discovery document of the issuer', async (t) => {
  t.is(await fetchWith({ 'https://a/keys': KEYS }, ISSUER, 'https://a/keys'), KEYS);
  const documents = { ...configuration({ issuer: ISSUER, jwks_uri: 'https://b/keys' }), 'https://b/keys': KEYS };
  t.is(await fetchWith(documents), KEYS);
});

test('a discovery document of another issuer, or without a secured jwks_uri, is rejected', async (t) => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ issuer: 'https://issuer.example.com', jwks_uri: 'https://b/keys' }, /names another issuer/],
    [{ issuer: ISSUER }, /has no jwks_uri/],
    [{ issuer: ISSUER, jwks_uri: 'http://b/keys' }, /has a jwks_uri that is not https/],
    [[], /is not a JSON object/],
  ];
  for (const [fields, message] of cases) {
    await t.throwsAsync(fetchWith({ ...configuration(fields), 'http://b/keys': KEYS }), { message });
  }
});

test('a document without keys is rejected, and its text is not in the message', async (t) => {
  const error = await t.throwsAsync(fetchWith({ 'https://a/keys': '{"secret": 1}' }, ISSUER, 'https://a/keys'));
  t.regex(error?.message ?? '', /is not a JSON Web Key Set/);
  t.notRegex(error?.message ?? '', /secret/);
});
