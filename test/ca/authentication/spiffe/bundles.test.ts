import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { parseSpiffeBundle } from '../../../../src/ca/authentication/spiffe/parse-bundle.js';
import { parseBundleEndpoints } from '../../../../src/ca/authentication/spiffe/parse-bundle-endpoints.js';
import { createSpiffeBundles } from '../../../../src/ca/authentication/spiffe/spiffe-bundles.js';
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
  ['a|http://x.example', /is not an https URL/],
  ['a|https://', /is not a URL/],
] as const) {
  test(`endpoints ${JSON.stringify(text)} are an error that says why`, (t) => {
    t.throws(() => parseBundleEndpoints(text), { name: 'SpiffeBundleError', message });
  });
}

test('every x509-svid of a bundle is a root, other keys are not', (t) => {
  const second = createTestAuthority('next');
  const text = bundle(
    root,
    { use: 'jwt-svid', kty: 'EC', kid: 'k' },
    { ...root, x5c: [base64(second.certificate)] },
    'nonsense',
  );
  t.deepEqual(
    parseSpiffeBundle(text).roots.map(({ subject }) => subject),
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
  test(`a bundle with ${what} is rejected`, (t) => {
    t.throws(() => parseSpiffeBundle(text), { message });
  });
}

const PARTNER = new Map([['partner.example', 'https://partner.example']]);

function createRig(fetchDocument: (url: string) => Promise<string>, endpoints: ReadonlyMap<string, string> = PARTNER) {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const bundles = createSpiffeBundles({ endpoints, fetchDocument, clock, logger });
  const subjects = () => [...bundles.roots()].map(([name, roots]) => [name, roots.map(({ subject }) => subject)]);
  return { clock, logger, bundles, subjects };
}

test('bundles are fetched again after doubling waits', async (t) => {
  const attempts: number[] = [];
  const rig = createRig(async () => {
    attempts.push(rig.clock.monotonicMs());
    if (attempts.length < 4) throw new Error('not yet');
    return bundle(root);
  });
  const started = rig.bundles.start();
  for (const waitMs of [50, 100, 200]) {
    await eventually('a wait', () => rig.clock.timers === 1);
    rig.clock.advance(waitMs);
  }
  await started;
  t.deepEqual(rig.subjects(), [['partner.example', ['CN=partner']]]);
  t.deepEqual(attempts, [0, 50, 150, 350]);
});

test('a bundle that is not fetched within ten seconds is an error that names it', async (t) => {
  let attempts = 0;
  const endpoints = new Map([
    ['good.example', 'https://good.example'],
    ['bad.example', 'https://bad.example'],
  ]);
  const { bundles, clock } = createRig(async (url) => {
    if (url === 'https://good.example') return bundle(root);
    attempts++;
    throw new Error('the server answered 500');
  }, endpoints);
  let over = false;
  const started = bundles.start().finally(() => {
    over = true;
  });
  const outcome = t.throwsAsync(started, {
    name: 'SpiffeBundleError',
    message: /the roots of trust domain bad.example could not be fetched: the server answered 500$/,
  });
  while (!over) {
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await outcome;
  t.is(attempts, 8);
  t.is(clock.timers, 0);
});

test('a bundle is fetched again as often as it says, within bounds', async (t) => {
  for (const [hint, afterMs] of [
    [undefined, 300_000],
    [600, 600_000],
    [1, 60_000],
    [1e9, 3_600_000],
    [-5, 300_000],
    ['soon', 300_000],
  ] as const) {
    let fetched = 0;
    const { bundles, clock } = createRig(async () => {
      fetched++;
      return JSON.stringify({ keys: [root], spiffe_refresh_hint: hint });
    });
    await bundles.start();
    clock.advance(afterMs - 1);
    t.is(fetched, 1, `${hint}`);
    clock.advance(1);
    t.is(fetched, 2, `${hint}`);
    bundles.stop();
  }
});

test('changed roots cause a call of listeners, unchanged ones none, and known roots stay when a fetch fails', async (t) => {
  const next = createTestAuthority('next');
  let answer: () => string = () => bundle(root);
  const { bundles, clock, subjects, logger } = createRig(async () => answer());
  let changes = 0;
  bundles.onChange(() => changes++);
  await bundles.start();
  const refresh = async (): Promise<void> => {
    clock.advance(300_000);
    await eventually('the next refresh', () => clock.timers === 1);
  };
  await refresh();
  t.is(changes, 1);
  answer = () => {
    throw new Error('down');
  };
  await refresh();
  t.deepEqual(subjects(), [['partner.example', ['CN=partner']]]);
  t.is(logger.records.at(-1)?.level, 'warn');
  answer = () => bundle(root, { ...root, x5c: [base64(next.certificate)] });
  await refresh();
  t.deepEqual(subjects(), [['partner.example', ['CN=partner', 'CN=next']]]);
  t.is(changes, 2);
  bundles.stop();
  t.is(clock.timers, 0);
});
