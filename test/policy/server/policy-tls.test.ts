import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { uriNamesOf } from '../../../src/ca/authentication/spiffe/certificate-names.js';
import { parseSpiffeId } from '../../../src/model/spiffe-id.js';
import { createCallerReaders } from '../../../src/policy/server/callers/caller-reader.js';
import { createTestAuthority, type TestAuthority } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { createLocalListener } from './listen-locally.js';
import { checkRequestBytes, createRig, httpCheck } from './policy-server-rig.js';

const BOOKS = 'books.shop.svc.cluster.local';
const QUOTA = [{ rules: [{ match: [], quotas: [{ quota: 'all', charge: 1 }] }] }];
const SERVICES = {
  [BOOKS]: {
    quotaSpec: QUOTA,
    mixerAttributes: { attributes: { 'destination.service.namespace': { stringValue: 'shop' } } },
  },
};
const CHECK = '/envoy.service.auth.v3.Authorization/Check';
const passThrough = (bytes: Buffer): Buffer => bytes;
const authority = createTestAuthority('mesh root');
const SPIFFE = 'spiffe://cluster.local/ns/shop/sa/books';

async function serve(t: ExecutionContext, mode: 'permissive' | 'strict') {
  const rig = createRig({ services: SERVICES });
  const refusals: string[] = [];
  const { certificate, key } = authority.issue({ dnsNames: ['localhost'] });
  const material = {
    certificate: { certificateChain: certificate, privateKey: key },
    clientRoots: [authority.certificate],
  };
  const callers = createCallerReaders({
    identify: (leaf) => parseSpiffeId(uriNamesOf(leaf)?.[0] ?? ''),
    onRefused: (_caller, { reason }) => refusals.push(reason),
  });
  const grpc = createLocalListener(rig.server, {
    callers,
    tls: {
      mode,
      material: { current: () => material, onChange: () => () => undefined },
      onUnusableMaterial: () => t.fail(),
    },
    onRefused: (reason) => refusals.push(reason),
  });
  const port = await grpc.start();
  const clients: Client[] = [];
  t.teardown(async () => {
    for (const client of clients) client.close();
    await grpc.stop(100);
  });
  const clientOf = (issuer: TestAuthority | 'plaintext', uri?: string): Client => {
    const own = issuer === 'plaintext' || uri === undefined ? undefined : issuer.issue({ uris: [uri] });
    const channel =
      issuer === 'plaintext'
        ? credentials.createInsecure()
        : credentials.createSsl(
            Buffer.from(authority.certificate),
            own === undefined ? null : Buffer.from(own.key),
            own === undefined ? null : Buffer.from(own.certificate),
          );
    const client = new Client(`localhost:${port}`, channel, { 'grpc.use_local_subchannel_pool': 1 });
    clients.push(client);
    return client;
  };
  const check = (client: Client): Promise<'answered' | Pick<ServiceError, 'code' | 'details'>> =>
    new Promise((resolve) => {
      const bytes = checkRequestBytes(
        httpCheck({ host: BOOKS }, { contextExtensions: { 'destination.service.host': BOOKS } }),
      );
      client.makeUnaryRequest(CHECK, passThrough, passThrough, bytes, (error) => resolve(error ?? 'answered'));
    });
  return { rig, port, refusals, check, clientOf };
}

test('a workload of the service is answered over mutual TLS', async (t) => {
  const { rig, check, clientOf, refusals } = await serve(t, 'strict');
  t.is(await check(clientOf(authority, SPIFFE)), 'answered');
  t.is(rig.transport.checks.length, 1);
  t.deepEqual(refusals, []);
});

/** A Check over HTTP/1.1. */
function checkOverHttp(port: number, uri: string | undefined, alpn: readonly string[] = []): Promise<string> {
  const own = uri === undefined ? undefined : authority.issue({ uris: [uri] });
  const socket =
    own === undefined
      ? connectTcp(port, '127.0.0.1')
      : connectTls({
          ...{ port, host: '127.0.0.1', servername: 'localhost', ca: authority.certificate, ALPNProtocols: [...alpn] },
          ...{ key: own.key, cert: own.certificate },
        });
  socket.on('error', () => undefined);
  socket.write(`GET / HTTP/1.1\r\nhost: ${BOOKS}\r\nx-mesh-check-service: ${BOOKS}\r\ncontent-length: 0\r\n\r\n`);
  let answer = '';
  return new Promise((resolve) => {
    const end = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString();
      if (answer.includes('\r\n\r\n')) end();
    });
    socket.on('close', end);
  });
}

// Proxies of the embedded server offer the first one, sidecars of a separate server the second ones.
for (const alpn of [['http/1.1'], ['mesh-http', 'mesh'], []]) {
  test(`a workload is answered over HTTP/1.1 on the same port, and others are not (${alpn.join() || 'no ALPN'})`, async (t) => {
    const { rig, port, refusals } = await serve(t, 'strict');
    t.regex(await checkOverHttp(port, SPIFFE, alpn), /^HTTP\/1\.1 200 OK\r\n/);
    t.is(rig.transport.checks.length, 1);
    const forged = await checkOverHttp(port, 'spiffe://cluster.local/ns/evil/sa/default', alpn);
    t.regex(forged, /^HTTP\/1\.1 500 [\s\S]*evil\/default is no workload of the service/);
    t.regex(await checkOverHttp(port, 'https://example.com/somebody', alpn), /^HTTP\/1\.1 500 /);
    t.is(rig.transport.checks.length, 1);
    t.deepEqual(refusals, ['identity']);
  });
}

test('HTTP/1.1 in plaintext is refused where TLS is required, and answered where it is not', async (t) => {
  const strict = await serve(t, 'strict');
  const refusal = /^HTTP\/1\.1 500 [\s\S]*connection: close[\s\S]*takes mutual TLS alone.*NAV_POLICY_TLS=permissive/;
  t.regex(await checkOverHttp(strict.port, undefined), refusal);
  t.deepEqual(strict.refusals, ['plaintext']);
  t.is(strict.rig.transport.checks.length, 0);
  const permissive = await serve(t, 'permissive');
  t.regex(await checkOverHttp(permissive.port, undefined), /^HTTP\/1\.1 200 OK\r\n/);
});

test('a forged call of another workload is refused with its reason, and charges nothing', async (t) => {
  const { rig, check, clientOf } = await serve(t, 'strict');
  const answer = await check(clientOf(authority, 'spiffe://cluster.local/ns/evil/sa/default'));
  t.like(answer, { code: status.PERMISSION_DENIED });
  t.regex(answer === 'answered' ? '' : answer.details, /evil\/default is no workload of the service "books\.shop/);
  t.is(rig.transport.checks.length, 0);
});

test('plaintext is refused where TLS is required, with the remedy in the error', async (t) => {
  const { rig, port, check, clientOf, refusals } = await serve(t, 'strict');
  const answer = await check(clientOf('plaintext'));
  // What gRPC makes of INADEQUATE_SECURITY.
  t.like(answer, { code: status.PERMISSION_DENIED });
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  const [code, , detail] = (await once(session, 'goaway')) as [number, number, Buffer];
  t.is(code, constants.NGHTTP2_INADEQUATE_SECURITY);
  t.regex(detail.toString(), /takes mutual TLS alone.*NAV_POLICY_TLS=permissive/);
  session.destroy();
  t.is(rig.transport.checks.length, 0);
  t.true(refusals.includes('plaintext'));
});

test('one port takes plaintext and mutual TLS in a rollout', async (t) => {
  const { rig, check, clientOf, refusals } = await serve(t, 'permissive');
  t.is(await check(clientOf('plaintext')), 'answered');
  t.is(await check(clientOf(authority, SPIFFE)), 'answered');
  t.is(rig.transport.checks.length, 2);
  t.deepEqual(refusals, []);
});

test('a TLS client without a certificate, or with one of another root, gets no answer', async (t) => {
  const { rig, check, clientOf, refusals } = await serve(t, 'permissive');
  t.like(await check(clientOf(authority)), { code: status.UNAVAILABLE });
  t.like(await check(clientOf(createTestAuthority('mesh root'), SPIFFE)), { code: status.UNAVAILABLE });
  t.is(rig.transport.checks.length, 0);
  t.true(refusals.every((reason) => reason === 'tls'));
});

test('a certificate that names no workload gets UNAUTHENTICATED', async (t) => {
  const { check, clientOf, refusals } = await serve(t, 'strict');
  const answer = await check(clientOf(authority, 'https://example.com/somebody'));
  t.like(answer, { code: status.UNAUTHENTICATED });
  t.deepEqual(refusals, ['identity']);
});

test('a connection whose first bytes arrive one by one is recognized', async (t) => {
  const { port } = await serve(t, 'permissive');
  const socket = connectTcp(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  const received: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => received.push(bytes));
  socket.setNoDelay(true);
  for (const byte of Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1')) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The server's SETTINGS frame, type 4.
  await eventually('the settings of the server', () => Buffer.concat(received)[3] === 4);
  t.pass();
});
