import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { startDocumentServer } from '../../net/egress/document-server.js';
import { createTestAuthority, type TestAuthority, type TestCertificate } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { FAIL_CLOSE } from '../rules/rule-rig.js';
import { createOwnRig, startAdapter, type TestAdapter } from './adapter-rig.js';

const NAME = 'accounts.test';
const OWN = 'spiffe://mesh.internal/ns/mesh-system/sa/meshd';
/** Files are looked at every 200 ms instead of every 10 s. */
const QUICK = { ...systemClock, schedule: (ms: number, run: () => void) => systemClock.schedule(ms / 50, run) };

interface Files {
  /** Writes a file, and returns its path. */
  write(name: string, text: string): string;
}

function createFiles(t: ExecutionContext): Files {
  const folder = mkdtempSync(join(tmpdir(), 'adapter-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return {
    write: (name, text) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
  };
}

/** An adapter with a certificate. @param clients whose certificates it demands */
function startSecure(t: ExecutionContext, { certificate, key }: TestCertificate, clients?: TestAuthority) {
  const pair = { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) };
  const roots = clients === undefined ? null : Buffer.from(clients.certificate);
  return startAdapter(t, undefined, ServerCredentials.createSsl(roots, [pair], clients !== undefined));
}

function createRig(t: ExecutionContext, { port }: TestAdapter, authentication: string, bypassesNames = false) {
  const rig = createOwnRig(t, {
    clock: QUICK,
    bypassesNames,
    resolveName: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  rig.apply(`rule shop/r {actions: [{handler: h, instances: [i]}]}
    handler shop/h {adapter: a, connection: {address: "${NAME}:${port}", timeout: 10s, authentication: ${authentication}}}
    adapter shop/a {templates: [listentry]}
    instance shop/i {compiledTemplate: listentry, params: {value: request.path}}`);
  const ask = async () => rig.check({ 'request.path': '/a' }, undefined, FAIL_CLOSE);
  return { ...rig, code: async () => (await ask()).status.code };
}

/** Why calls fail, as the log says it. */
function reason({ log }: ReturnType<typeof createRig>): string {
  return log.map(({ fields }) => String(fields['err'])).join('\n');
}

test('with tls, the certificate of the adapter must be trusted and have its name', async (t) => {
  const files = createFiles(t);
  const authority = createTestAuthority('adapters');
  const ca = files.write('ca.pem', authority.certificate);
  const right = await startSecure(t, authority.issue({ dnsNames: [NAME] }));
  t.is(await createRig(t, right, `{tls: {caCertificates: ${ca}}}`).code(), 'OK');
  const named = await startSecure(t, authority.issue({ dnsNames: ['other.test'] }));
  t.is(await createRig(t, named, `{tls: {caCertificates: ${ca}, serverName: other.test}}`).code(), 'OK');
  const wrong = createRig(t, named, `{tls: {caCertificates: ${ca}}}`);
  t.is(await wrong.code(), 'UNAVAILABLE');
  t.regex(reason(wrong), /accounts\.test/);
  const byUri = await startSecure(t, authority.issue({ uris: [OWN] }));
  t.is(await createRig(t, byUri, `{tls: {caCertificates: ${ca}, serverName: "${OWN}"}}`).code(), 'OK');
  const unknown = await startSecure(t, createTestAuthority('others').issue({ dnsNames: [NAME] }));
  t.is(await createRig(t, unknown, `{tls: {caCertificates: ${ca}}}`).code(), 'UNAVAILABLE');
  const plain = await startAdapter(t);
  t.is(await createRig(t, plain, `{tls: {caCertificates: ${ca}}}`).code(), 'UNAVAILABLE');
  t.deepEqual(plain.calls, []);
});

test('with mutual TLS, the adapter shows the identity of the policy server or its own name, unless names are bypassed', async (t) => {
  const files = createFiles(t);
  const authority = createTestAuthority('mesh');
  const own = authority.issue({ uris: [OWN] });
  const [ca, key, cert] = [
    files.write('ca.pem', authority.certificate),
    files.write('key.pem', own.key),
    files.write('cert.pem', own.certificate),
  ];
  const mutual = `{mutual: {privateKey: ${key}, clientCertificate: ${cert}, caCertificates: ${ca}}}`;
  const sameIdentity = await startSecure(t, authority.issue({ uris: [OWN] }), authority);
  t.is(await createRig(t, sameIdentity, mutual).code(), 'OK');
  const named = await startSecure(t, authority.issue({ dnsNames: [NAME] }), authority);
  t.is(await createRig(t, named, mutual).code(), 'OK');
  const other = await startSecure(t, authority.issue({ uris: [`${OWN}-other`], dnsNames: ['x.test'] }), authority);
  const refused = createRig(t, other, mutual);
  t.is(await refused.code(), 'UNAVAILABLE');
  t.regex(
    reason(refused),
    /the certificate of the adapter is neither for accounts\.test nor for the identity of the policy server; its URIs are spiffe:\/\/mesh\.internal\/ns\/mesh-system\/sa\/meshd-other/,
  );
  t.is(await createRig(t, other, mutual, true).code(), 'OK');
  const untrusted = await startSecure(t, createTestAuthority('others').issue({ uris: [OWN] }), authority);
  t.is(await createRig(t, untrusted, mutual, true).code(), 'UNAVAILABLE', 'a bypass is for names only');
  const wrongClient = createTestAuthority('others').issue({ uris: [OWN] });
  const [otherKey, otherCert] = [
    files.write('other-key.pem', wrongClient.key),
    files.write('other.pem', wrongClient.certificate),
  ];
  const unknown = createRig(
    t,
    sameIdentity,
    `{mutual: {privateKey: ${otherKey}, clientCertificate: ${otherCert}, caCertificates: ${ca}}}`,
  );
  t.is(await unknown.code(), 'UNAVAILABLE');
});

test('renewed certificates and tokens are used without a restart', async (t) => {
  const files = createFiles(t);
  const [first, second] = [createTestAuthority('first'), createTestAuthority('second')];
  const adapter = await startSecure(t, second.issue({ dnsNames: [NAME] }));
  const ca = files.write('ca.pem', first.certificate);
  const token = files.write('token', 'first-token\n');
  const rig = createRig(t, adapter, `{tls: {caCertificates: ${ca}, tokenPath: ${token}}}`);
  t.is(await rig.code(), 'UNAVAILABLE');
  files.write('ca.pem', second.certificate);
  await eventually('the new root is used', async () => (await rig.code()) === 'OK');
  t.is(adapter.calls.at(-1)?.metadata['authorization'], 'Bearer first-token');
  files.write('token', 'second-token');
  await eventually('the new token is used', async () => {
    await rig.code();
    return adapter.calls.at(-1)?.metadata['authorization'] === 'Bearer second-token';
  });
});

test('a token goes into the header that the connection names, and no log shows a token that cannot be used', async (t) => {
  const files = createFiles(t);
  const authority = createTestAuthority('adapters');
  const ca = files.write('ca.pem', authority.certificate);
  const adapter = await startSecure(t, authority.issue({ dnsNames: [NAME] }));
  const token = files.write('token', 'secret-token');
  for (const [place, header, value] of [
    ['authHeader: PLAIN', 'authorization', 'secret-token'],
    ['authHeader: BEARER', 'authorization', 'Bearer secret-token'],
    ['customHeader: X-Token', 'x-token', 'secret-token'],
  ] as const) {
    const rig = createRig(t, adapter, `{tls: {caCertificates: ${ca}, tokenPath: ${token}, ${place}}}`);
    t.is(await rig.code(), 'OK');
    t.is(adapter.calls.at(-1)?.metadata[header], value);
  }
  const calls = adapter.calls.length;
  const broken = files.write('broken', 'two secret\nlines');
  const rig = createRig(t, adapter, `{tls: {caCertificates: ${ca}, tokenPath: ${broken}}}`);
  t.is(await rig.code(), 'UNAVAILABLE');
  t.is(adapter.calls.length, calls);
  t.regex(reason(rig), /there is no token for the adapter: ".*broken" has no usable token/);
  t.notRegex(JSON.stringify([rig.log, rig.ownLog]) + reason(rig), /secret\\nlines|two secret/);
});

test('an OAuth token is requested once, renewed before its end, and never logged', async (t) => {
  const files = createFiles(t);
  const authority = createTestAuthority('adapters');
  const adapter = await startSecure(t, authority.issue({ dnsNames: [NAME] }));
  const asked: string[] = [];
  let isDown = true;
  const server = await startDocumentServer(t, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push(`${request.method} ${request.headers.authorization} ${body}`);
      if (isDown) response.writeHead(503).end('token-in-an-error');
      else
        response.end(JSON.stringify({ access_token: `token-${asked.length}`, token_type: 'Bearer', expires_in: '60' }));
    });
  });
  const ca = files.write('ca.pem', authority.certificate + server.roots.join(''));
  const secret = files.write('secret', 'client-secret\n');
  const rig = createRig(
    t,
    adapter,
    `{tls: {caCertificates: ${ca}, oauth: {clientId: mesh, clientSecret: ${secret}, tokenUrl: "${server.url('/token')}", scopes: [read, write], endpointParams: {audience: accounts}}}}`,
  );
  t.is(await rig.code(), 'UNAVAILABLE');
  isDown = false;
  await eventually('a token is there', async () => (await rig.code()) === 'OK');
  const basic = Buffer.from('mesh:client-secret').toString('base64');
  t.is(asked.at(-1), `POST Basic ${basic} audience=accounts&grant_type=client_credentials&scope=read+write`);
  const requests = asked.length;
  t.is(adapter.calls.at(-1)?.metadata['authorization'], `Bearer token-${requests}`);
  await Promise.all(Array.from({ length: 10 }, () => rig.code()));
  t.true(asked.length <= requests + 1);
  // 48 s of the clock.
  await eventually('the token is renewed', async () => {
    await rig.code();
    return (
      asked.length > requests && adapter.calls.at(-1)?.metadata['authorization'] === `Bearer token-${asked.length}`
    );
  });
  t.notRegex(
    JSON.stringify([rig.log, rig.ownLog]) + reason(rig) + rig.ownLog.map(({ fields }) => String(fields['err'])).join(),
    /client-secret|token-in-an-error|token-\d/,
  );
});
