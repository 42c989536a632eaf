import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { createCredentialTable } from '../../../src/sources/credentials/credential-table.js';
import { type CredentialTexts, parseCredential } from '../../../src/sources/credentials/parse-credential.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';

const AUTHORITY = createTestAuthority('root');
const LEAF = AUTHORITY.issue({ dnsNames: ['shop.example.com'] });
const OTHER = AUTHORITY.issue({ dnsNames: ['shop.example.com'] });
const expiryOf = (pem: string) => Date.parse(new X509Certificate(pem).validTo);
const CERTIFICATE = {
  type: 'certificate',
  chain: LEAF.certificate,
  privateKey: LEAF.key,
  expiresAtMs: expiryOf(LEAF.certificate),
} as const;
const ROOTS = { type: 'roots', roots: AUTHORITY.certificate } as const;

test('a certificate comes from a TLS secret or from a generic one', (t) => {
  const tls = { 'tls.crt': LEAF.certificate, 'tls.key': LEAF.key };
  const generic = { cert: LEAF.certificate, key: LEAF.key };
  for (const texts of [tls, generic]) t.deepEqual(parseCredential('certificate', texts, undefined), CERTIFICATE);
});

test('root certificates come from the secret itself, or from the secret with -cacert behind its name', (t) => {
  const roots = AUTHORITY.certificate;
  t.deepEqual(parseCredential('roots', { 'ca.crt': roots }, undefined), ROOTS);
  t.deepEqual(parseCredential('roots', { cacert: roots }, undefined), ROOTS);
  t.deepEqual(parseCredential('roots', { 'tls.crt': LEAF.certificate }, { 'ca.crt': roots }), ROOTS);
  t.deepEqual(parseCredential('roots', undefined, { cacert: roots }), ROOTS);
});

const MALFORMED: Readonly<Record<string, readonly ['certificate' | 'roots', CredentialTexts | undefined, RegExp]>> = {
  'does not exist': ['certificate', undefined, /^it does not exist; create it/],
  'has no key': ['certificate', { 'tls.crt': LEAF.certificate }, /^it has no certificate with its key/],
  'has an empty certificate': ['certificate', { 'tls.crt': ' ', 'tls.key': LEAF.key }, /^it has no certificate/],
  'has no certificate but text': ['certificate', { cert: 'x', key: LEAF.key }, /^its certificate cannot be read/],
  'has no key but text': ['certificate', { cert: LEAF.certificate, key: 'x' }, /^its key cannot be read/],
  'has the key of another certificate': [
    'certificate',
    { cert: LEAF.certificate, key: OTHER.key },
    /^its key does not belong to its certificate/,
  ],
  'has no root certificates': ['roots', { cert: LEAF.certificate }, /^it has no root certificates/],
  'has root certificates that are none': ['roots', { 'ca.crt': 'x' }, /^its root certificates cannot be read/],
};

for (const [title, [part, texts, reason]] of Object.entries(MALFORMED)) {
  test(`a credential that ${title} is unusable, and the reason has nothing of its content`, (t) => {
    const state = parseCredential(part, texts, undefined);
    if (state.type !== 'unusable') return t.fail(state.type);
    t.regex(state.reason, reason);
    t.false(state.reason.includes('BEGIN') || state.reason.includes(LEAF.key.slice(40, 60)));
  });
}

test('a credential that becomes malformed keeps its last usable state, and a deleted one does not', (t) => {
  const told: string[] = [];
  const table = createCredentialTable((secret, reason) => told.push(`${secret}: ${reason.slice(0, 20)}`));
  const read = (texts: CredentialTexts | undefined) => table.read('shop', 'certificate', () => texts);
  const good = { cert: LEAF.certificate, key: LEAF.key };
  const first = read(good);
  t.deepEqual(first, CERTIFICATE);
  t.is(read(good), first);
  const bad = { cert: 'x', key: LEAF.key };
  t.is(table.staleReasonOf('shop', 'certificate'), undefined);
  t.is(read(bad), first);
  t.is(read(bad), first);
  t.regex(table.staleReasonOf('shop', 'certificate') ?? '', /^its certificate cannot be read/);
  t.deepEqual(told, ['shop: its certificate cann']);
  t.is(read(undefined).type, 'unusable');
  t.deepEqual(read({ cert: OTHER.certificate, key: OTHER.key }), {
    type: 'certificate',
    chain: OTHER.certificate,
    privateKey: OTHER.key,
    expiresAtMs: expiryOf(OTHER.certificate),
  });
  t.is(table.staleReasonOf('shop', 'certificate'), undefined);
});
