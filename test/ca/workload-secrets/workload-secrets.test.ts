import { createPrivateKey, X509Certificate } from 'node:crypto';
import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { type CertificateAuthority, SigningError } from '../../../src/ca/authority/certificate-authority.js';
import { createLocalAuthority, type LocalAuthority } from '../../../src/ca/authority/local-authority.js';
import { createSelfSignedRoot } from '../../../src/ca/authority/self-signed.js';
import type { KeyAndChain } from '../../../src/ca/renewal/renewed-certificate.js';
import { createWorkloadSecrets, type WorkloadSecret } from '../../../src/ca/workload-secrets/workload-secrets.js';
import { readCertificateFields } from '../../../src/ca/x509/read-certificate.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { DAY_MS, materialOf, selfSigned } from '../support/material.js';
import { createTestAuthority } from '../support/test-authority.js';

const REVIEWS = { trustDomain: 'cluster.local', namespace: 'shop', serviceAccount: 'reviews' };
const DETAILS = { ...REVIEWS, serviceAccount: 'details' };
const HOUR_MS = DAY_MS / 24;

async function create(
  t: ExecutionContext,
  random = 0.5,
  wrap = (authority: LocalAuthority): CertificateAuthority => authority,
) {
  const clock = createFakeClock();
  const authority = await createTestAuthority(clock);
  const logger = createRecordingLogger();
  const secrets = createWorkloadSecrets({ authority: wrap(authority), clock, logger, random: () => random });
  t.teardown(secrets.stop);
  return { clock, authority, logger, secrets };
}

async function issued(secret: WorkloadSecret, other?: KeyAndChain): Promise<KeyAndChain> {
  return await eventually('a certificate', () => {
    const present = secret.current();
    return present === other ? undefined : present;
  });
}

function leafOf({ certificateChain }: KeyAndChain): X509Certificate {
  return new X509Certificate(certificateChain);
}

test('a workload gets a P-256 key and a certificate for its identity alone', async (t) => {
  const { secrets, authority } = await create(t);
  const secret = secrets.open('connection-1', REVIEWS);
  let changes = 0;
  secret.onChange(() => {
    changes += 1;
  });
  const present = await issued(secret);
  const leaf = leafOf(present);
  t.is(changes, 1);
  t.is(leaf.subjectAltName, 'URI:spiffe://cluster.local/ns/shop/sa/reviews');
  t.is(leaf.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  t.true(leaf.checkPrivateKey(createPrivateKey(present.privateKey)));
  t.true(leaf.verify(new X509Certificate(authority.bundle().roots[0] ?? '').publicKey));
});

test('an identity has one secret on a connection; other identities and connections have other keys', async (t) => {
  const { secrets } = await create(t);
  const first = secrets.open('connection-1', REVIEWS);
  t.is(secrets.open('connection-1', REVIEWS), first);
  const others = [secrets.open('connection-1', DETAILS), secrets.open('connection-2', REVIEWS)];
  t.is(secrets.size, 3);
  const keys = await Promise.all([first, ...others].map(async (each) => (await issued(each)).privateKey));
  t.is(new Set(keys).size, 3);
});

for (const [random, hours] of [
  [0, 12],
  [0.999_999, 19.2],
] as const) {
  test(`a certificate of 24 hours is renewed with another key after ${hours}, at a random point`, async (t) => {
    const { secrets, clock } = await create(t, random);
    const secret = secrets.open('connection-1', REVIEWS);
    const first = await issued(secret);
    clock.advance(hours * HOUR_MS - 2_000);
    t.is(secret.current(), first);
    t.is(clock.timers, 1, 'nothing is on its way');
    clock.advance(3_000);
    const second = await issued(secret, first);
    t.not(second.privateKey, first.privateKey);
    t.true(second.notAfter.getTime() - first.notAfter.getTime() >= hours * HOUR_MS - 2_000);
  });
}

test('a certificate stays in use while no new one can be issued, until it expires', async (t) => {
  let isDown = false;
  const { secrets, clock, logger } = await create(t, 0.5, (authority) => ({
    ...authority,
    issue: async (request) => {
      if (isDown) throw new SigningError('CA_NOT_READY', 'down');
      return await authority.issue(request);
    },
  }));
  const secret = secrets.open('connection-1', REVIEWS);
  const first = await issued(secret);
  isDown = true;
  clock.advance(20 * HOUR_MS);
  await eventually('a failure', () => logger.records.length > 0 && clock.timers > 0);
  t.is(secret.current(), first);
  clock.advance(3_600_000);
  await eventually('another attempt', () => clock.timers > 0);
  t.is(logger.records.length, 1, 'the same trouble is told once');
  clock.advance(4 * HOUR_MS);
  t.is(secret.current(), undefined);
  isDown = false;
  await eventually('another attempt', () => clock.timers > 0);
  clock.advance(60_000);
  t.not(await issued(secret), first);
  t.is(logger.records.at(-1)?.message, 'certificate issuance resumed');
});

test('a workload that connects before there is a root gets its certificate once the root exists', async (t) => {
  const clock = createFakeClock();
  const authority = createLocalAuthority({ clock, ttls: { defaultMs: DAY_MS, maxMs: DAY_MS } });
  const logger = createRecordingLogger();
  const secrets = createWorkloadSecrets({ authority, clock, logger, random: () => 0.5 });
  t.teardown(secrets.stop);
  const secret = secrets.open('connection-1', REVIEWS);
  await eventually('a failure', () => logger.records.length === 1);
  t.is(secret.current(), undefined);
  authority.replace(materialOf(await selfSigned({ now: clock.now() })));
  t.truthy(await issued(secret));
});

test('a new root with the same key does not replace certificates', async (t) => {
  const { secrets, clock, authority } = await create(t);
  const secret = secrets.open('connection-1', REVIEWS);
  const first = await issued(secret);
  const material = authority.material();
  if (material === undefined) return t.fail();
  const { privateKey, certificate } = material;
  const { subject, subjectKeyId } = readCertificateFields(certificate);
  const next = await createSelfSignedRoot(privateKey, {
    subject,
    keyId: subjectKeyId,
    ttlMs: 90 * DAY_MS,
    now: clock.now(),
  });
  const roots = next.certificate + authority.bundle().roots.join('');
  authority.replace(materialOf({ ...next, chain: '', roots }));
  clock.advance(HOUR_MS);
  t.is(clock.timers, 1);
  t.is(secret.current(), first);
});

test('certificates are renewed for a new key of the authority only after its root has had time to spread', async (t) => {
  const { secrets, clock, authority } = await create(t, 0);
  const secret = secrets.open('connection-1', REVIEWS);
  const first = await issued(secret);
  const other = await selfSigned({ now: clock.now(), organization: 'other' });
  authority.replace(materialOf({ ...other, roots: other.roots + authority.bundle().roots.join('') }));
  clock.advance(5 * 60_000 - 1);
  t.is(clock.timers, 1);
  t.is(secret.current(), first);
  clock.advance(1);
  t.is(leafOf(await issued(secret, first)).issuer, 'O=other');
});

test('a certificate that the present roots do not verify is renewed at once', async (t) => {
  const { secrets, clock, authority } = await create(t, 0.5);
  const secret = secrets.open('connection-1', REVIEWS);
  const first = await issued(secret);
  authority.replace(materialOf(await selfSigned({ now: clock.now(), organization: 'other' })));
  clock.advance(2_500);
  t.is(leafOf(await issued(secret, first)).issuer, 'O=other');
});

test('a certificate that was being issued while the authority changed is compared with the present authority', async (t) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { secrets, clock, authority } = await create(t, 0.5, (inner) => ({
    ...inner,
    issue: async (request) => {
      const answer = await inner.issue(request);
      await held;
      return answer;
    },
  }));
  const secret = secrets.open('connection-1', REVIEWS);
  const other = await selfSigned({ now: clock.now(), organization: 'other' });
  authority.replace(materialOf(other));
  release();
  const first = await issued(secret);
  t.is(leafOf(first).issuer, 'O=cluster.local');
  clock.advance(2_500);
  t.is(leafOf(await issued(secret, first)).issuer, 'O=other');
});

test('a secret ends with its connection: no renewal, no call of listeners, and no key in memory', async (t) => {
  const { secrets, clock, authority } = await create(t);
  const secret = secrets.open('connection-1', REVIEWS);
  const kept = secrets.open('connection-2', REVIEWS);
  await Promise.all([issued(secret), issued(kept)]);
  secret.onChange(() => t.fail());
  secrets.close('connection-1');
  secrets.close('connection-1');
  t.is(secret.current(), undefined);
  t.is(secrets.size, 1);
  t.is(clock.timers, 1);
  authority.replace(materialOf(await selfSigned({ now: clock.now() })));
  clock.advance(DAY_MS);
  t.is(secret.current(), undefined);
  secrets.stop();
  t.is(clock.timers, 0);
  t.is(kept.current(), undefined);
});

test('a connection that ends while its certificate is issued gets none', async (t) => {
  const { secrets, clock } = await create(t);
  const secret = secrets.open('connection-1', REVIEWS);
  secrets.close('connection-1');
  const other = secrets.open('connection-2', REVIEWS);
  await issued(other);
  t.is(secret.current(), undefined);
  t.is(clock.timers, 1);
});

test('the key is neither in JSON, nor in inspect, nor in a log', async (t) => {
  const { secrets, logger } = await create(t);
  const secret = secrets.open('connection-1', REVIEWS);
  const present = await issued(secret);
  const texts = [
    JSON.stringify({ present }),
    inspect(present, { depth: 9, showHidden: true }),
    inspect(secret),
    `${present}`,
  ];
  texts.push(JSON.stringify(logger.records), JSON.stringify({ ...present }));
  for (const text of texts) t.notRegex(text, /PRIVATE/);
  t.regex(present.privateKey, /^-----BEGIN PRIVATE KEY-----\n/);
});

test('a workload with a deleted account keeps its certificate and gets no other until the account is back', async (t) => {
  const clock = createFakeClock();
  const authority = await createTestAuthority(clock);
  const logger = createRecordingLogger();
  let isGone = false;
  const checkIdentity = (): void => {
    if (isGone) throw new Error('the service account does not exist');
  };
  const secrets = createWorkloadSecrets({ authority, clock, logger, random: () => 0, checkIdentity });
  t.teardown(secrets.stop);
  const secret = secrets.open('connection-1', REVIEWS);
  const first = await issued(secret);
  isGone = true;
  clock.advance(12 * HOUR_MS);
  await eventually('the renewal fails', () => logger.records.some(({ level }) => level === 'warn'));
  t.is(secret.current(), first);
  isGone = false;
  const next = await eventually('another certificate', () => {
    clock.advance(60_000);
    const present = secret.current();
    return present === first ? undefined : present;
  });
  t.truthy(next);
});
