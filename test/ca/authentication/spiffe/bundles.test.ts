import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { fetchSpiffeBundles } from '../../../../src/ca/authentication/spiffe/fetch-bundles.js';
import { parseSpiffeBundle } from '../../../../src/ca/authentication/spiffe/parse-bundle.js';
import { parseBundleEndpoints } from '../../../../src/ca/authentication/spiffe/parse-bundle-endpoints.js';
import { createTestAuthority } from '../../../support/certificate-issuer.js';
import { eventually } from '../../../support/eventually.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createRecordingLogger } from '../../../support/recording-logger.js';

const authority = createTestAuthority('partner');
const base64 = (pem: string): string => new X509Certificate(pem).raw.toString('base64');
const root = { use: 'x509-svid', kty: 'EC', x5c: [base64(authority.certificate)] };
const bundle = (...keys: readonly unknown[]): string => JSON.stringify({ spiffe_sequence: 1, keys });

for (const [text, endpoints] of [
  ['', {}],
  ['  ', {}],
  ['a.example|bundle.example/path', { 'a.example': 'https://bundle.example/path' }],
  ['a.example|https://bundle.example', { 'a.example': 'https://bundle.example' }],
  ['a|x.example||b|https://y.example:8443/b', { a: 'https://x.example', b: 'https://y.example:8443/b' }],
  ['me@example|x.example', { 'me.example': 'https://x.example' }],
] as const) {
  test(`endpoints ${JSON.stringify(text)} are read`, (t) => {
    t.deepEqual(Object.fromEntries(parseBundleEndpoints(text)), endpoints);
  });
}

for (const [text, message] of [
  ['a.example', /"a.example" is not <trust domain>\|<endpoint>/],
  ['a.example|', /is not <trust domain>\|<endpoint>/],
  ['|x.example', /"" is not a trust domain/],
  ['a|b|c', /is not <trust domain>\|<endpoint>/],
  ['a|x.example||', /"" is not <trust domain>\|<endpoint>/],
  ['a|x.example||a|y.example', /trust domain a has more than one endpoint/],
  ['a/b|x.example', /"a\/b" is not a trust domain/],
  ['a|http://x.example', /is not fetched over https/],
  ['a|https://', /is not a URL/],
] as const) {
  test(`endpoints ${JSON.stringify(text)} are an error that says why`, (t) => {
    t.throws(() => parseBundleEndpoints(text), { name: 'SpiffeBundleError', message });
  });
}

test('every x509-svid of a bundle is a root, and what is for anything else is not', (t) => {
  const second = createTestAuthority('next');
  const text = bundle(
    root,
    { use: 'jwt-svid', kty: 'EC', kid: 'k' },
    { ...root, x5c: [base64(second.certificate)] },
    'nonsense',
  );
  t.deepEqual(
    parseSpiffeBundle(text).map(({ subject }) => subject),
    ['CN=partner', 'CN=next'],
  );
});

for (const [what, text, message] of [
  ['no JSON', 'hello', /not a JWKS document/],
  ['no keys', '{}', /not a JWKS document/],
  ['an empty list', bundle(), /no key for x509-svid/],
  ['keys for tokens alone', bundle({ use: 'jwt-svid' }), /no key for x509-svid/],
  [
    'two certificates in one key',
    bundle({ ...root, x5c: [...root.x5c, ...root.x5c] }),
    /keys\[0\].x5c must have exactly one certificate, it has 2/,
  ],
  [
    'no certificate in a key',
    bundle(root, { use: 'x509-svid' }),
    /keys\[1\].x5c must have exactly one certificate, it has 0/,
  ],
  [
    'a certificate that is none',
    bundle({ ...root, x5c: ['AAAA'] }),
    /keys\[0\].x5c\[0\] is not a certificate in base64/,
  ],
  ['a certificate as PEM', bundle({ ...root, x5c: [authority.certificate] }), /is not a certificate in base64/],
  ['a number for a certificate', bundle({ ...root, x5c: [7] }), /is not a certificate in base64/],
  [
    'the certificate of a workload',
    bundle({ ...root, x5c: [base64(authority.issue({}).certificate)] }),
    /not the certificate of an authority/,
  ],
  ['more keys than anybody has', bundle(...Array<unknown>(257).fill(root)), /has 257 keys, at most 256/],
] as const) {
  test(`a bundle with ${what} is refused`, (t) => {
    t.throws(() => parseSpiffeBundle(text), { message });
  });
}

test('bundles that come late are waited for, at doubling times', async (t) => {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const attempts: number[] = [];
  const fetched = fetchSpiffeBundles(new Map([['partner.example', 'https://partner.example']]), {
    fetchDocument: async () => {
      attempts.push(clock.monotonicMs());
      if (attempts.length < 4) throw new Error('not yet');
      return bundle(root);
    },
    clock,
    logger,
  });
  for (const waitMs of [50, 100, 200]) {
    await eventually('a wait', () => clock.timers === 1);
    clock.advance(waitMs);
  }
  t.deepEqual([...(await fetched).keys()], ['partner.example']);
  t.deepEqual(attempts, [0, 50, 150, 350]);
});

test('one bundle that does not come within ten seconds is an error, which names it', async (t) => {
  const clock = createFakeClock();
  let attempts = 0;
  const fetched = fetchSpiffeBundles(
    new Map([
      ['good.example', 'https://good.example'],
      ['bad.example', 'https://bad.example'],
    ]),
    {
      fetchDocument: async (url) => {
        if (url === 'https://good.example') return bundle(root);
        attempts++;
        throw new Error('the server answered 500');
      },
      clock,
      logger: createRecordingLogger(),
    },
  );
  const outcome = t.throwsAsync(fetched, {
    name: 'SpiffeBundleError',
    message: /the roots of trust domain bad.example cannot be had: the server answered 500$/,
  });
  let over = false;
  void outcome.then(() => {
    over = true;
  });
  while (!over) {
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await outcome;
  t.is(attempts, 8);
  t.true(clock.monotonicMs() <= 10_100);
});
