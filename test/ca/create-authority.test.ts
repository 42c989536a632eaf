import { createPublicKey } from 'node:crypto';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/base/clock.js';
import { type AuthorityOptions, createAuthority, PluggedInError } from '../../src/ca/create-authority.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { eventually } from '../support/eventually.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { DAY_MS, ecKey, selfSigned } from './support/material.js';
import { createOpenSsl } from './support/openssl.js';
import { createFolder, makeCertificate, makePluggedIn, writeFolder } from './support/plugged-in.js';
import { createSecretServer } from './support/secret-server.js';

function create(t: ExecutionContext, rootCaDir: string, overrides: Partial<AuthorityOptions> = {}) {
  const logger = createRecordingLogger();
  const registry = new Registry();
  const authority = createAuthority({
    rootCaDir,
    ttls: { defaultMs: DAY_MS, maxMs: 90 * DAY_MS },
    selfSigned: {
      trustDomain: 'cluster.local',
      ttlMs: 3650 * DAY_MS,
      keyBits: 2048,
      checkIntervalMs: 3_600_000,
      gracePercentile: 20,
      hasJitter: true,
    },
    cluster: undefined,
    metrics: createMetrics(registry),
    clock: systemClock,
    logger,
    rotatorLogger: logger,
    random: () => 0.5,
    ...overrides,
  });
  t.teardown(() => authority.stop());
  let changes = 0;
  authority.onChange(() => {
    changes += 1;
  });
  const publicKey = createPublicKey(ecKey());
  return {
    authority,
    messages: () => logger.records.map(({ message }) => message),
    records: logger.records,
    gauge: async (name: string): Promise<number | undefined> =>
      (await registry.getSingleMetric(name)?.get())?.values[0]?.value,
    changes: () => changes,
    issue: () => authority.issue({ publicKey, subjectAltNames: [{ type: 'dns', value: 'meshd' }], ttlMs: 0 }),
  };
}

test('the CA in ROOT_CA_DIR signs, and is reloaded when its files change', async (t) => {
  const folder = await createFolder(t);
  const openssl = await createOpenSsl(t);
  const first = await makePluggedIn(openssl, 20);
  await writeFolder(folder, first);
  const { authority, issue, gauge, changes, messages } = create(t, folder);
  await authority.start();
  t.deepEqual(authority.bundle().roots, [first.roots]);
  const { intermediates } = authority.bundle();
  t.deepEqual((await issue()).chain.slice(1), intermediates);
  t.is(await gauge('ca_server_root_cert_expiry_timestamp'), await endOf(openssl, first.roots));
  t.is(await gauge('ca_server_cert_chain_expiry_timestamp'), await endOf(openssl, first.certificate));

  const second = await selfSigned({ organization: 'second' });
  await writeFolder(folder, { ...second, roots: second.roots + first.roots });
  await eventually('the new CA', () => authority.bundle().roots.length === 2);
  t.deepEqual(authority.bundle(), { roots: [second.roots, first.roots], intermediates: [] });
  t.is((await issue()).chain.length, 1);
  t.is(await gauge('ca_server_root_cert_expiry_timestamp'), await endOf(openssl, second.roots));
  t.is(await gauge('ca_server_cert_chain_expiry_timestamp'), undefined, 'there is no chain any more');
  t.true(changes() >= 2);
  t.true(messages().includes('ca in ROOT_CA_DIR reloaded'));
});

/** Unix seconds. */
async function endOf(openssl: Awaited<ReturnType<typeof createOpenSsl>>, certificate: string): Promise<number> {
  await openssl.file('end.pem', certificate);
  const text = await openssl('x509', '-in', 'end.pem', '-noout', '-enddate');
  return new Date(text.replace('notAfter=', '').trim()).getTime() / 1000;
}

test('files that a mounted secret replaces together are loaded as a unit', async (t) => {
  const folder = await createFolder(t);
  const [first, second] = [await selfSigned(), await selfSigned()];
  const data = join(folder, '..data');
  await writeFolder(join(folder, 'first'), first);
  await writeFolder(join(folder, 'second'), second);
  await symlink('first', data);
  for (const name of ['ca-key.pem', 'ca-cert.pem', 'root-cert.pem'])
    await symlink(join('..data', name), join(folder, name));
  const { authority, records } = create(t, folder);
  await authority.start();
  t.deepEqual(authority.bundle().roots, [first.roots]);
  await symlink('second', `${data}_tmp`);
  await rename(`${data}_tmp`, data);
  await eventually('the new CA', () => authority.bundle().roots[0] === second.roots);
  t.deepEqual(
    records.filter(({ level }) => level === 'error'),
    [],
  );
});

test('a change to unusable content leaves the CA in force, and the log says why', async (t) => {
  const folder = await createFolder(t);
  const first = await selfSigned();
  await writeFolder(folder, first);
  const { authority, issue, records } = create(t, folder);
  await authority.start();
  await writeFolder(folder, { certificate: (await selfSigned()).certificate });
  await eventually('the complaint', () => records.some(({ level }) => level === 'error'));
  const complaint = records.find(({ level }) => level === 'error');
  t.is(complaint?.message, 'ca in ROOT_CA_DIR unusable');
  t.regex(String(complaint?.fields['reason']), /ca-key\.pem does not belong to the certificate; /);
  t.deepEqual(authority.bundle().roots, [first.roots]);
  t.is((await issue()).chain.length, 1);

  await rm(folder, { recursive: true });
  await eventually('another complaint', () => records.some(({ message }) => message === 'ca in ROOT_CA_DIR removed'));
  t.is((await issue()).chain.length, 1);
});

test('an unusable CA in ROOT_CA_DIR at the start is an error, and no other CA replaces it', async (t) => {
  const folder = await createFolder(t);
  const { certificate, roots } = await selfSigned();
  await writeFolder(folder, { certificate, roots });
  const { authority } = create(t, folder);
  const error = await t.throwsAsync(authority.start(), { instanceOf: PluggedInError });
  t.is(
    error?.message,
    `ROOT_CA_DIR: ${folder}/ca-key.pem is missing or empty; put all of a CA into ${folder}, ` +
      'or neither its key nor its certificate for a self-signed one',
  );
});

test('without a CA in ROOT_CA_DIR and without a cluster a root in memory signs', async (t) => {
  const { authority, issue, gauge } = create(t, '/nowhere/to/be/found');
  await authority.start();
  t.is(authority.bundle().roots.length, 1);
  t.is((await issue()).chain.length, 1);
  const days = ((await gauge('ca_server_root_cert_expiry_timestamp')) ?? 0) / 86_400 - Date.now() / DAY_MS;
  t.true(Math.abs(days - 3650) < 0.1, `${days} days`);
});

test('in a cluster the root is in a secret, and the roots in ROOT_CA_DIR are trusted too', async (t) => {
  const folder = await createFolder(t);
  const openssl = await createOpenSsl(t);
  const extra = await makeCertificate(openssl, { name: 'extra' });
  await writeFolder(folder, { roots: extra });
  const server = createSecretServer();
  const { authority, messages, issue } = create(t, folder, {
    cluster: { send: server.send, namespace: 'mesh-system', meshDomain: 'mesh.internal' },
  });
  await authority.start();
  t.deepEqual(authority.bundle().roots, [server.text('ca-cert.pem'), extra]);
  const more = await makeCertificate(openssl, { name: 'more' });
  await writeFolder(folder, { roots: extra + more });
  await eventually('one root more', () => authority.bundle().roots.length === 3);

  await writeFolder(folder, await selfSigned());
  const warning = 'ca in ROOT_CA_DIR ignored until restart';
  await eventually('the warning', () => messages().includes(warning));
  t.is(authority.bundle().roots[0], server.text('ca-cert.pem'));
  t.is((await issue()).chain.length, 1);
});

test('a folder that appears after the start is seen', async (t) => {
  const parent = await createFolder(t);
  const folder = join(parent, 'cacerts');
  const { authority } = create(t, folder, {
    clock: { ...systemClock, schedule: (ms, run) => systemClock.schedule(Math.min(ms, 200), run) },
  });
  await authority.start();
  await mkdir(folder);
  await writeFile(join(folder, 'root-cert.pem'), (await selfSigned()).roots);
  await eventually('the extra root', () => authority.bundle().roots.length === 2);
  t.pass();
});

test('while one CA replaces another step by step, every peer accepts every certificate', async (t) => {
  const folder = await createFolder(t);
  const openssl = await createOpenSsl(t);
  const [first, second] = [await selfSigned({ organization: 'first' }), await makePluggedIn(openssl)];
  await writeFolder(folder, first);
  const { authority, issue } = create(t, folder);
  await authority.start();
  const bundles: string[] = [];
  const chains: (readonly string[])[] = [];
  const step = async (roots: readonly string[]): Promise<void> => {
    await eventually(`${roots.length} roots`, () => authority.bundle().roots.join() === roots.join());
    chains.push((await issue()).chain);
    bundles.push(roots.join(''));
    // Whoever still has the roots of the step before, and whoever has the new ones already.
    for (const bundle of bundles.slice(-2)) {
      for (const chain of chains.slice(-2)) {
        await openssl.file('roots.pem', bundle);
        await openssl.file('leaf.pem', chain[0] ?? '');
        await openssl.file('between.pem', chain.join(''));
        const verified = await openssl('verify', '-CAfile', 'roots.pem', '-untrusted', 'between.pem', 'leaf.pem');
        t.is(verified, 'leaf.pem: OK\n');
      }
    }
  };
  await step([first.roots]);
  await writeFolder(folder, { roots: first.roots + second.roots });
  await step([first.roots, second.roots]);
  await writeFolder(folder, { ...second, roots: first.roots + second.roots });
  await step([second.roots, first.roots]);
  chains.push((await issue()).chain);
  await writeFolder(folder, { roots: second.roots });
  await step([second.roots]);
});
