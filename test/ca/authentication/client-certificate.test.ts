import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { createClientCertificateAuthenticator } from '../../../src/ca/authentication/client-certificate.js';
import { createTrustDomains } from '../../../src/ca/authentication/spiffe/trust-domains.js';
import { chainEndMs } from '../../../src/ca/authentication/spiffe/verify-chain.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { createSelfSignedCertificate } from '../../support/self-signed-certificate.js';
import { NOTHING, withCertificate, withToken } from './credentials.js';

const CART = 'spiffe://cluster.local/ns/shop/sa/cart';
const own = createTestAuthority('mesh');
const partner = createTestAuthority('partner');

function authenticator({ skipValidation = false, aliases = ['old.local'] } = {}) {
  const trustDomains = createTrustDomains({
    own: () => ['cluster.local', ...aliases],
    ownRoots: () => [own.certificate],
    foreign: () => new Map([['partner.example', [new X509Certificate(partner.certificate)]]]),
    skipValidation,
  });
  return createClientCertificateAuthenticator(trustDomains, systemClock);
}

const issue = (uris: readonly string[], authority = own, dnsNames: readonly string[] = []) =>
  withCertificate(authority.issue({ uris, dnsNames }).certificate);

test('the SPIFFE id of the certificate is the identity', async (t) => {
  t.deepEqual(await authenticator().authenticate(issue([CART], own, ['admin.example'])), {
    identities: [CART],
    authenticatedBy: 'client certificate',
  });
});

test('an alias of the trust domain is accepted', async (t) => {
  const id = 'spiffe://old.local/ns/shop/sa/cart';
  t.deepEqual((await authenticator().authenticate(issue([id])))?.identities, [id]);
});

test('without a certificate there is nothing to say', async (t) => {
  t.is(await authenticator().authenticate(NOTHING), undefined);
  t.is(await authenticator().authenticate(withToken('token')), undefined);
});

for (const [what, uris] of [
  ['two URI names', [CART, 'spiffe://cluster.local/ns/shop/sa/admin']],
  ['the same URI name twice', [CART, CART]],
  ['no URI name', []],
] as const) {
  test(`a certificate with ${what} is rejected`, async (t) => {
    await t.throwsAsync(authenticator().authenticate(issue(uris)), {
      name: 'AuthenticationError',
      message: `the certificate must have exactly one URI name, it has ${uris.length}`,
    });
  });
}

for (const uri of [
  'https://cluster.local/ns/shop/sa/cart',
  'spiffe://cluster.local/ns/shop/sa/cart/admin',
  'spiffe://cluster.local/ns/shop%2Fsa/sa/cart',
  'spiffe://user@cluster.local/ns/shop/sa/cart',
  'spiffe://cluster.local',
  `${CART}, URI:spiffe://cluster.local/ns/shop/sa/admin`,
  `${CART}", URI:"spiffe://cluster.local/ns/shop/sa/admin`,
]) {
  test(`a certificate for ${uri} is rejected`, async (t) => {
    await t.throwsAsync(authenticator().authenticate(issue([uri])), {
      name: 'AuthenticationError',
      message: /^the certificate is not for spiffe:/,
    });
  });
}

test('an untrusted trust domain is rejected', async (t) => {
  await t.throwsAsync(authenticator().authenticate(issue(['spiffe://evil.example/ns/shop/sa/cart'])), {
    name: 'AuthenticationError',
    message: /^trust domain evil.example of the certificate is not trusted/,
  });
});

test('with NAV_SKIP_VALIDATE_TRUST_DOMAIN any trust domain of our authority is accepted', async (t) => {
  const id = 'spiffe://former.example/ns/shop/sa/cart';
  t.deepEqual((await authenticator({ skipValidation: true }).authenticate(issue([id])))?.identities, [id]);
  await t.throwsAsync(authenticator({ skipValidation: true }).authenticate(issue([id], partner)), {
    message: /not from an authority of its trust domain/,
  });
});

test('a trust domain with a bundle is verified against its own roots only', async (t) => {
  const id = 'spiffe://partner.example/ns/shop/sa/cart';
  t.deepEqual((await authenticator().authenticate(issue([id], partner)))?.identities, [id]);
  for (const skipValidation of [false, true]) {
    await t.throwsAsync(authenticator({ skipValidation }).authenticate(issue([id])), {
      message: /not from an authority of its trust domain partner.example/,
    });
  }
});

test('the roots of another trust domain prove no identity of ours', async (t) => {
  await t.throwsAsync(authenticator().authenticate(issue([CART], partner)), {
    message: /not from an authority of its trust domain cluster.local/,
  });
});

test('a certificate that expired after its connection began is rejected', async (t) => {
  const { certificate } = own.issue({ uris: [CART] });
  const trustDomains = createTrustDomains({
    own: () => ['cluster.local'],
    ownRoots: () => [own.certificate],
    foreign: () => new Map(),
    skipValidation: false,
  });
  const later = { ...systemClock, now: () => new Date(Date.now() + 2 * 86_400_000) };
  await t.throwsAsync(
    createClientCertificateAuthenticator(trustDomains, later).authenticate(withCertificate(certificate)),
    { message: /not from an authority/ },
  );
});

test('a root must be the certificate of an authority', (t) => {
  const certificate = new X509Certificate(createSelfSignedCertificate().certificate);
  t.false(certificate.ca);
  t.is(chainEndMs(certificate, [certificate], new Date()), undefined);
  const root = new X509Certificate(own.certificate);
  t.is(chainEndMs(root, [root], new Date()), Date.parse(root.validTo));
});
