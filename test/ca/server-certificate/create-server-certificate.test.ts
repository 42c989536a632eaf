import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import {
  createServerCertificate,
  type ServerCertificateOptions,
} from '../../../src/ca/server-certificate/create-server-certificate.js';
import { ServerCertificateError } from '../../../src/ca/server-certificate/server-certificate-source.js';
import { createTlsMaterialSource } from '../../../src/ca/server-certificate/tls-material-source.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { writeWhole } from '../../support/write-whole.js';
import { DAY_MS, materialOf, selfSigned } from '../support/material.js';
import { createOpenSsl, type OpenSsl } from '../support/openssl.js';
import { createFolder, keyOf, makeCertificate } from '../support/plugged-in.js';
import { createTestAuthority } from '../support/test-authority.js';

function create(t: ExecutionContext, overrides: Partial<ServerCertificateOptions>) {
  const logger = createRecordingLogger();
  const source = createServerCertificate({
    provider: 'meshd',
    tlsCertFile: '',
    tlsKeyFile: '',
    caCertFile: '',
    discoveryHost: 'meshd.mesh-system.svc',
    customHost: '',
    namespace: 'mesh-system',
    revision: '',
    domain: 'cluster.local',
    authority: undefined,
    clock: systemClock,
    logger,
    random: () => 0.5,
    ...overrides,
  });
  t.teardown(() => source.stop());
  return { source, records: logger.records };
}

test('the authority signs a certificate for all names of this server, with which a TLS handshake succeeds', async (t) => {
  const authority = await createTestAuthority(systemClock);
  const { source } = create(t, { authority, customHost: 'mesh.example.com', discoveryHost: '10.0.0.7' });
  await source.start();
  const present = source.current();
  t.is(
    new X509Certificate(present?.certificateChain ?? '').subjectAltName,
    [
      'IP Address:10.0.0.7',
      'DNS:mesh.example.com',
      'DNS:meshd.mesh-system.svc',
      'DNS:meshd-remote.mesh-system.svc',
      'DNS:mesh-navigator.mesh-system.svc',
      'DNS:meshd.mesh-system.svc.cluster.local',
    ].join(', '),
  );
  const server = createServer({ key: present?.privateKey, cert: present?.certificateChain });
  t.teardown(() => server.close());
  server.on('secureConnection', (socket) => socket.resume().end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const servername of ['meshd.mesh-system.svc', 'mesh.example.com', 'mesh-navigator.mesh-system.svc']) {
    const client = connect({ port, ca: source.caBundle() ?? '', servername });
    await once(client, 'secureConnect');
    t.true(client.authorized);
    client.destroy();
  }
});

test('the signed certificate is renewed before it expires, and webhooks get new roots', async (t) => {
  const clock = createFakeClock();
  const authority = await createTestAuthority(clock);
  const { source } = create(t, { authority, clock });
  await source.start();
  const first = source.current();
  let changes = 0;
  source.onChange(() => {
    changes += 1;
  });
  clock.advance(0.66 * DAY_MS);
  await eventually('another certificate', () => source.current()?.privateKey !== first?.privateKey);
  t.is(changes, 1);
  const bundle = source.caBundle();
  const other = await selfSigned({ now: clock.now() });
  authority.replace(materialOf({ ...other, roots: other.roots + bundle }));
  t.is(changes, 2);
  t.is(source.caBundle(), other.roots + bundle);
});

test('while the authority has no key there is no certificate, and no bundle', async (t) => {
  const clock = createFakeClock();
  const authority = await createTestAuthority(clock);
  const issue = async () => await Promise.reject(new Error('no key'));
  const { source } = create(t, {
    authority: { ...authority, issue, bundle: () => ({ roots: [], intermediates: [] }) },
    clock,
  });
  await source.start();
  t.is(source.current(), undefined);
  t.is(source.caBundle(), undefined);
});

test('the material of a listener follows the certificate and the client roots', async (t) => {
  const clock = createFakeClock();
  const authority = await createTestAuthority(clock);
  const { source } = create(t, { authority, clock });
  const clientRoots = { current: () => authority.bundle().roots, onChange: authority.onChange };
  const material = createTlsMaterialSource(source, clientRoots);
  t.is(material.current(), undefined);
  let changes = 0;
  const end = material.onChange(() => {
    changes += 1;
  });
  await source.start();
  t.is(changes, 1);
  t.deepEqual(material.current(), { certificate: source.current(), clientRoots: authority.bundle().roots });
  t.deepEqual(createTlsMaterialSource(source).current()?.clientRoots, []);
  authority.replace(materialOf(await selfSigned({ now: clock.now() })));
  t.true(changes > 1);
  const known = changes;
  end();
  authority.replace(materialOf(await selfSigned({ now: clock.now() })));
  t.is(changes, known);
});

async function writeCertificate(openssl: OpenSsl, folder: string, name: string): Promise<string> {
  const root = await makeCertificate(openssl, { name: `${name}-root` });
  const leaf = await makeCertificate(openssl, { name, issuer: `${name}-root`, extensions: [] });
  for (const [file, text] of [
    ['key.pem', await keyOf(openssl, name)],
    ['cert-chain.pem', leaf],
    ['root-cert.pem', root],
  ] as const) {
    await writeWhole(join(folder, file), text);
  }
  return leaf;
}

test('a folder as the provider gives certificate and roots, and is read again when it changes', async (t) => {
  const folder = await createFolder(t);
  const openssl = await createOpenSsl(t);
  const first = await writeCertificate(openssl, folder, 'first');
  const { source, records } = create(t, { provider: folder });
  await source.start();
  t.is(source.current()?.certificateChain, first);
  t.is(source.caBundle(), await openssl('x509', '-in', 'first-root.pem'));
  let changes = 0;
  source.onChange(() => {
    changes += 1;
  });
  const second = await writeCertificate(openssl, folder, 'second');
  await eventually('the second', () => source.current()?.certificateChain === second);
  t.is(source.caBundle(), await openssl('x509', '-in', 'second-root.pem'));
  t.true(changes > 0);

  await rm(join(folder, 'key.pem'));
  await eventually('a complaint', () => records.some(({ level }) => level === 'error'));
  t.is(source.current()?.certificateChain, second);
  const errors = records.flatMap(({ fields: { err } }) => (err instanceof Error ? [err.message] : []));
  const reason = `NAV_CERT_PROVIDER: ${folder}/key.pem does not exist; create it, and let this process read it`;
  t.true(errors.includes(reason), errors.join('\n'));
});

test('three flags take precedence over any provider', async (t) => {
  const folder = await createFolder(t);
  const openssl = await createOpenSsl(t);
  const leaf = await writeCertificate(openssl, folder, 'flags');
  const files = {
    tlsCertFile: join(folder, 'cert-chain.pem'),
    tlsKeyFile: join(folder, 'key.pem'),
    caCertFile: join(folder, 'root-cert.pem'),
  };
  const { source } = create(t, { ...files, provider: 'orchestrator' });
  await source.start();
  t.is(source.current()?.certificateChain, leaf);

  const authority = await createTestAuthority(systemClock);
  const partly = create(t, { ...files, caCertFile: '', authority });
  await partly.source.start();
  t.not(partly.source.current()?.certificateChain, leaf);
  t.deepEqual(
    partly.records.map(({ fields }) => fields['remedy']),
    ['set --caCertFile too'],
  );
});

test('unusable files at the start are an error that names setting, file, problem and remedy', async (t) => {
  const folder = await createFolder(t);
  const openssl = await createOpenSsl(t);
  await writeCertificate(openssl, folder, 'first');
  const refused = async (file: string, text: string, reason: RegExp): Promise<void> => {
    await writeFile(join(folder, file), text);
    const error = await t.throwsAsync(create(t, { provider: folder }).source.start(), {
      instanceOf: ServerCertificateError,
    });
    t.regex(error?.message.replaceAll(folder, 'FOLDER') ?? '', reason);
  };
  await refused(
    'root-cert.pem',
    'text',
    /^NAV_CERT_PROVIDER: FOLDER\/root-cert\.pem cannot be read: no PEM block "CERTIFICATE" is in it; write /,
  );
  await writeCertificate(openssl, folder, 'second');
  await refused(
    'key.pem',
    await keyOf(openssl, 'first'),
    /^NAV_CERT_PROVIDER: FOLDER\/key\.pem does not belong to FOLDER\/cert-chain\.pem; write both /,
  );
  await refused(
    'key.pem',
    'text',
    /^NAV_CERT_PROVIDER: FOLDER\/key\.pem is not a private key in PEM; write one without a passphrase into it$/,
  );
  const missing = create(t, { provider: '/nowhere' }).source.start();
  await t.throwsAsync(missing, { message: /^NAV_CERT_PROVIDER: \/nowhere\/key\.pem does not exist; create it/ });
});

test('an expired certificate in a file is rejected', async (t) => {
  const folder = await createFolder(t);
  await writeCertificate(await createOpenSsl(t), folder, 'first');
  const clock = { ...systemClock, now: () => new Date(Date.now() + 40 * DAY_MS) };
  await t.throwsAsync(create(t, { provider: folder, clock }).source.start(), {
    message: /^NAV_CERT_PROVIDER: .*\/cert-chain\.pem expired at \S+Z; replace it by one that is valid$/,
  });
});

test('an unknown provider is rejected, and the error names the alternatives', (t) => {
  t.throws(() => create(t, { provider: 'orchestrator' }), {
    instanceOf: ServerCertificateError,
    message:
      /^NAV_CERT_PROVIDER=orchestrator: Kubernetes has no signer .*; use meshd, or a folder into which .* root-cert\.pem$/,
  });
  t.throws(() => create(t, { provider: 'meshd', authority: undefined }), {
    instanceOf: ServerCertificateError,
    message: /^NAV_CERT_PROVIDER=meshd: there is no certificate authority; set ENABLE_CA_SERVER=true, or /,
  });
});
