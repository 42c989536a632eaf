import { createPublicKey, X509Certificate } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { IssuedCertificate } from '../../../src/ca/authority/certificate-authority.js';
import { createLocalAuthority } from '../../../src/ca/authority/local-authority.js';
import { generateRootKey } from '../../../src/ca/authority/self-signed.js';
import { createRootRotator, type RootRotatorOptions } from '../../../src/ca/rotation/root-rotator.js';
import { createMemoryRootStore } from '../../../src/ca/rotation/root-store.js';
import { createSecretRootStore } from '../../../src/ca/rotation/secret-root-store.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger, type LogRecord } from '../../support/recording-logger.js';
import { DAY_MS, ecKey, selfSigned } from '../support/material.js';
import { createOpenSsl } from '../support/openssl.js';
import { answer, createSecretServer, type SecretServer } from '../support/secret-server.js';

const HOUR_MS = 3_600_000;
const REQUEST = {
  publicKey: createPublicKey(ecKey()),
  subjectAltNames: [{ type: 'uri', value: 'spiffe://td/ns/a/sa/b' }],
  ttlMs: 2 * DAY_MS,
} as const;

/** One replica: an authority and its rotator. */
function createReplica(
  t: ExecutionContext,
  { clock, server, ...overrides }: Partial<RootRotatorOptions> & { clock: FakeClock; server: SecretServer },
) {
  const authority = createLocalAuthority({ clock, ttls: { defaultMs: DAY_MS, maxMs: 90 * DAY_MS } });
  const logger = createRecordingLogger();
  const rotator = createRootRotator({
    store: createSecretRootStore({ send: server.send, namespace: 'mesh-system', meshDomain: 'mesh.internal' }),
    authority,
    trustDomain: 'cluster.local',
    ttlMs: 100 * DAY_MS,
    keyBits: 2048,
    checkIntervalMs: HOUR_MS,
    gracePercentile: 20,
    hasJitter: false,
    extraRoots: () => '',
    clock,
    logger,
    random: () => 0.5,
    ...overrides,
  });
  t.teardown(() => rotator.stop());
  let changes = 0;
  authority.onChange(() => {
    changes += 1;
  });
  return {
    authority,
    rotator,
    logger,
    messages: () => logger.records.map(({ message }) => message),
    get changes() {
      return changes;
    },
    serial: () => authority.material()?.certificate.serialNumber,
    issue: async (): Promise<IssuedCertificate> =>
      await authority.issue({
        ...REQUEST,
        publicKey: new X509Certificate(authority.bundle().roots[0] ?? '').publicKey,
      }),
  };
}

/** Moves time on to the next check, and waits until it is over: then there are as many timers as before. */
async function check(clock: FakeClock, server: SecretServer, ms = HOUR_MS): Promise<void> {
  const { timers } = clock;
  const { length } = server.requests;
  clock.advance(ms);
  await eventually('a check', () => server.requests.length > length && clock.timers >= timers);
}

function errorTexts(records: readonly LogRecord[]): string {
  return records.flatMap(({ fields: { err } }) => (err instanceof Error ? [err.message] : [])).join('\n');
}

test('a missing root is made and stored, in the form of its secret', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const { rotator, authority } = createReplica(t, { clock, server });
  await rotator.start();
  t.is(server.secret?.type, 'mesh.internal/ca-root');
  t.deepEqual(Object.keys(server.secret?.data ?? {}).sort(), [
    'ca-cert.pem',
    'ca-key.pem',
    'cert-chain.pem',
    'key.pem',
    'root-cert.pem',
  ]);
  t.deepEqual([server.text('cert-chain.pem'), server.text('key.pem'), server.text('root-cert.pem')], ['', '', '']);
  const root = new X509Certificate(server.text('ca-cert.pem'));
  t.is(root.subject, 'O=cluster.local');
  t.is(root.publicKey.asymmetricKeyDetails?.modulusLength, 2048);
  t.is(new Date(root.validTo).toISOString(), '2026-04-11T00:00:00.000Z');
  t.deepEqual(authority.bundle(), { roots: [server.text('ca-cert.pem')], intermediates: [] });
});

test('the first root uses the key that was generated in advance', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const key = await generateRootKey(2048);
  const { rotator } = createReplica(t, { clock, server, firstKey: Promise.resolve(key) });
  await rotator.start();
  const root = new X509Certificate(server.text('ca-cert.pem'));
  t.true(root.checkPrivateKey(key));
});

test('two replicas that start at the same time sign with the same root', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const first = createReplica(t, { clock, server });
  const second = createReplica(t, { clock, server });
  server.before('POST', () => second.rotator.start());
  await first.rotator.start();
  t.is(first.serial(), second.serial());
  t.deepEqual(
    server.requests.map(({ method }) => method),
    ['GET', 'POST', 'GET', 'POST', 'GET'],
  );
});

test('a stored root is used as it is, also with a key of another size', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const { privateKey, certificate } = await selfSigned({ now: clock.now(), key: ecKey('P-384') });
  server.put({ 'ca-cert.pem': certificate, 'ca-key.pem': privateKey });
  const { rotator, authority } = createReplica(t, { clock, server });
  await rotator.start();
  t.deepEqual(authority.bundle().roots, [certificate]);
  t.deepEqual(
    server.requests.map(({ method }) => method),
    ['GET'],
  );
});

test('in its grace period a root is replaced by one with the same key, and certificates of either verify with both', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const openssl = await createOpenSsl(t);
  const replica = createReplica(t, { clock, server });
  await replica.rotator.start();
  const oldRoot = replica.authority.bundle().roots[0] ?? '';
  await check(clock, server, 79 * DAY_MS);
  const oldLeaf = await replica.issue();
  t.is(replica.changes, 1, 'not in its grace period yet');
  await check(clock, server, DAY_MS);
  t.is(replica.changes, 2);

  const { roots } = replica.authority.bundle();
  t.is(roots.length, 2);
  t.is(roots[1], oldRoot);
  t.is(server.text('ca-cert.pem'), roots[0] ?? '');
  t.is(server.text('root-cert.pem'), oldRoot);
  const newer = new X509Certificate(roots[0] ?? '');
  const older = new X509Certificate(oldRoot);
  t.true(newer.publicKey.equals(older.publicKey));
  t.not(newer.serialNumber, older.serialNumber);
  t.is(new Date(newer.validTo).toISOString(), '2026-06-30T00:00:00.000Z');

  const newLeaf = await replica.issue();
  const at = String(clock.now().getTime() / 1000);
  for (const [name, leaf] of Object.entries({ old: oldLeaf, new: newLeaf })) {
    await openssl.file(`${name}.pem`, leaf.chain[0] ?? '');
    for (const [index, root] of [...roots, roots.join('')].entries()) {
      await openssl.file('root.pem', root);
      const verified = await openssl('verify', '-x509_strict', '-attime', at, '-CAfile', 'root.pem', `${name}.pem`);
      t.is(verified, `${name}.pem: OK\n`, `${name} with roots ${index}`);
    }
  }
});

test('an earlier root is trusted until shortly before it expires, also by replicas that start later', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const first = createReplica(t, { clock, server });
  await first.rotator.start();
  await check(clock, server, 85 * DAY_MS);
  const [newRoot = '', oldRoot = ''] = first.authority.bundle().roots;
  const second = createReplica(t, { clock, server, checkIntervalMs: 0 });
  await second.rotator.start();
  t.deepEqual(second.authority.bundle().roots, [newRoot, oldRoot]);

  const untilMs = new Date(new X509Certificate(oldRoot).validTo).getTime() - clock.now().getTime();
  clock.advance(untilMs - 11 * 60_000);
  t.is(second.authority.bundle().roots.length, 2);
  clock.advance(60_000);
  t.deepEqual(second.authority.bundle().roots, [newRoot]);
  t.deepEqual(first.authority.bundle().roots, [newRoot]);
  t.is(second.changes, 2, 'whoever hands out the bundle is told');
});

test('a replica that finds another root stored uses it', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const first = createReplica(t, { clock, server });
  const second = createReplica(t, { clock, server });
  await first.rotator.start();
  await second.rotator.start();
  clock.advance(80 * DAY_MS);
  await eventually('both have looked', () => first.changes === 2 && second.changes === 2);
  t.is(first.serial(), second.serial());
  t.is(server.requests.filter(({ method }) => method === 'PATCH').length, 1 + conflicts(server), 'one root was made');

  const { privateKey, certificate } = await selfSigned({ now: clock.now(), organization: 'other' });
  server.put({ 'ca-cert.pem': certificate, 'ca-key.pem': privateKey });
  clock.advance(HOUR_MS);
  await eventually('both have taken it', () => first.changes === 3 && second.changes === 3);
  t.deepEqual(first.authority.bundle().roots, [certificate]);
  t.deepEqual(second.authority.bundle().roots, [certificate]);
});

/** How often a replica was too late with a root of its own. */
function conflicts({ requests }: SecretServer): number {
  const versions = requests.flatMap(({ method, body }) =>
    method === 'PATCH' ? [JSON.stringify(body).match(/resourceVersion":"(\d+)/)?.[1]] : [],
  );
  return versions.length - new Set(versions).size;
}

test('a replica that is too late with a new root uses the root of the faster one', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const replica = createReplica(t, { clock, server });
  await replica.rotator.start();
  const other = await selfSigned({ now: new Date(clock.now().getTime() + 80 * DAY_MS) });
  server.before('PATCH', () => server.put({ 'ca-cert.pem': other.certificate, 'ca-key.pem': other.privateKey }));
  await check(clock, server, 80 * DAY_MS);
  t.deepEqual(replica.authority.bundle().roots, [other.certificate]);
  t.is(server.text('ca-cert.pem'), other.certificate);
});

test('a secret that is deleted while its root is in use is created again', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const replica = createReplica(t, { clock, server });
  await replica.rotator.start();
  const root = server.text('ca-cert.pem');
  server.remove();
  await check(clock, server);
  t.is(server.text('ca-cert.pem'), root);
  t.is(replica.changes, 1);
});

test('a new root that cannot be stored is not used, and storing it is retried', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const replica = createReplica(t, { clock, server });
  await replica.rotator.start();
  const serial = replica.serial();
  server.before('PATCH', () => server.setFault(answer(403, { message: 'secrets "mesh-ca-secret" is forbidden' })));
  await check(clock, server, 80 * DAY_MS);
  t.is(replica.serial(), serial);
  t.is(replica.changes, 1);
  t.is(replica.messages().at(-1), 'root certificate check failed, retrying');
  t.is(
    errorTexts(replica.logger.records),
    'secret mesh-system/mesh-ca-secret cannot be updated: secrets "mesh-ca-secret" is forbidden; ' +
      'let the service account get, create and patch secrets in mesh-system',
  );
  server.setFault(undefined);
  await check(clock, server, 30_000);
  t.not(replica.serial(), serial);
  t.is(replica.changes, 2);
});

test('a new root that was stored without an answer is used at the next attempt, and no second one is made', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  let isCut = false;
  const send: SecretServer['send'] = async (request) => {
    const answered = await server.send(request);
    if (isCut && request.method === 'PATCH') throw new Error('socket hang up');
    return answered;
  };
  const store = createSecretRootStore({ send, namespace: 'mesh-system', meshDomain: 'mesh.internal' });
  const replica = createReplica(t, { clock, server, store });
  await replica.rotator.start();
  isCut = true;
  await check(clock, server, 80 * DAY_MS);
  t.is(replica.changes, 1);
  const stored = server.text('ca-cert.pem');
  t.not(stored, replica.authority.bundle().roots[0]);
  await check(clock, server, 30_000);
  t.is(replica.authority.bundle().roots[0], stored);
  t.is(server.requests.filter(({ method }) => method === 'PATCH').length, 1);
});

test('without the API server there is no root at first, and one soon after the API server is back', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  server.setFault(new Error('connect ECONNREFUSED'));
  const replica = createReplica(t, { clock, server, checkIntervalMs: 0 });
  await replica.rotator.start();
  t.deepEqual(replica.authority.bundle().roots, []);
  await check(clock, server, 30_000);
  await check(clock, server, 30_000);
  t.deepEqual(replica.messages(), ['root certificate unavailable, retrying'], 'the same trouble is told once');
  server.setFault(undefined);
  clock.advance(30_000);
  await eventually('a root', () => replica.authority.bundle().roots.length === 1);
  t.is(replica.messages().at(-1), 'root certificate available again');
});

for (const [what, data, reason] of [
  [
    'no key',
    { 'ca-cert.pem': 'x' },
    /mesh-ca-secret has nothing in its key ca-key\.pem; put a CA into it, or delete it /,
  ],
  [
    'no PEM',
    { 'ca-cert.pem': 'x', 'ca-key.pem': 'SECRET' },
    /mesh-ca-secret: its key ca-cert\.pem cannot be read: no PEM block /,
  ],
] as const) {
  test(`a secret with ${what} is neither used nor overwritten, and no message has its content`, async (t) => {
    const clock = createFakeClock();
    const server = createSecretServer();
    server.put(data);
    const replica = createReplica(t, { clock, server });
    await replica.rotator.start();
    t.deepEqual(replica.authority.bundle().roots, []);
    t.regex(errorTexts(replica.logger.records), reason);
    t.notRegex(JSON.stringify(replica.logger.records), /SECRET/);
    t.is(server.text('ca-cert.pem'), 'x');
  });
}

test('a root that had expired before the start is replaced at once', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const old = await selfSigned({ now: new Date('2024-01-01T00:00:00Z'), ttlMs: DAY_MS });
  server.put({ 'ca-cert.pem': old.certificate, 'ca-key.pem': old.privateKey });
  const replica = createReplica(t, { clock, server, hasJitter: true });
  await replica.rotator.start();
  t.deepEqual(replica.authority.bundle().roots, [server.text('ca-cert.pem')], 'the old one is of no use any more');
  t.not(server.text('ca-cert.pem'), old.certificate);
  t.is((await replica.issue()).chain.length, 1);
});

test('with an interval of zero nothing is checked again, and an expired root is logged', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const old = await selfSigned({ now: new Date('2024-01-01T00:00:00Z'), ttlMs: DAY_MS });
  server.put({ 'ca-cert.pem': old.certificate, 'ca-key.pem': old.privateKey });
  const replica = createReplica(t, { clock, server, checkIntervalMs: 0 });
  await replica.rotator.start();
  clock.advance(400 * DAY_MS);
  t.is(clock.timers, 0);
  t.is(server.requests.length, 1);
  t.is(replica.messages().at(-1), 'root certificate expired');
  await t.throwsAsync(replica.issue(), { message: /expired at 2024-01-02/ });
});

test('with jitter the first check is at a random time within the first interval, and later checks an interval apart', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const replica = createReplica(t, { clock, server, hasJitter: true, random: () => 0.25 });
  await replica.rotator.start();
  const { length } = server.requests;
  clock.advance(HOUR_MS / 4 - 1);
  t.is(server.requests.length, length);
  await check(clock, server, 1);
  const second = server.requests.length;
  clock.advance(HOUR_MS - 1);
  t.is(server.requests.length, second);
  await check(clock, server, 1);
  t.is(server.requests.length, second + 1);
});

test('extra roots are trusted after our own, change at run time, and are ignored when they are broken', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const { certificate: other } = await selfSigned({ organization: 'other' });
  let extra = other;
  const replica = createReplica(t, { clock, server, extraRoots: () => extra });
  await replica.rotator.start();
  const own = server.text('ca-cert.pem');
  t.deepEqual(replica.authority.bundle().roots, [own, other]);
  t.is(server.text('root-cert.pem'), '');
  extra = 'text';
  replica.rotator.extraRootsChanged();
  t.deepEqual(replica.authority.bundle().roots, [own]);
  t.true(replica.messages().includes('unreadable root certificates ignored'));
});

test('a root in memory rotates too, with the same key', async (t) => {
  const clock = createFakeClock();
  const store = createMemoryRootStore();
  const replica = createReplica(t, { clock, server: createSecretServer(), store });
  await replica.rotator.start();
  const { publicKey } = new X509Certificate(replica.authority.bundle().roots[0] ?? '');
  clock.advance(80 * DAY_MS);
  await eventually('a new root', () => replica.changes === 2);
  const { roots } = replica.authority.bundle();
  t.is(roots.length, 2);
  t.true(roots.every((root) => new X509Certificate(root).publicKey.equals(publicKey)));
});

test('a percentile of 100 makes a root at each check, and five earlier roots are kept', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const replica = createReplica(t, { clock, server, gracePercentile: 100 });
  await replica.rotator.start();
  for (let round = 0; round < 8; round++) await check(clock, server);
  t.is(replica.changes, 9);
  t.is(replica.authority.bundle().roots.length, 6);
});

test('no key is ever logged', async (t) => {
  const clock = createFakeClock();
  const server = createSecretServer();
  const replica = createReplica(t, { clock, server });
  await replica.rotator.start();
  await check(clock, server, 80 * DAY_MS);
  t.true(replica.logger.records.length > 0);
  t.notRegex(JSON.stringify(replica.logger.records), /PRIVATE KEY/);
});
