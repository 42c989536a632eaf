import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'node:https';
import tls from 'node:tls';
import test from 'ava';
import { clientCertificateOf } from '../../src/net/connection-certificates.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createTlsRig, materialOf, SPIFFE_ID } from './tls-rig.js';

test('a client without a certificate is accepted without an identity', async (t) => {
  const rig = await createTlsRig(t);
  t.is(await rig.attempt(), 'taken');
  const [socket] = rig.taken;
  t.is(socket?.alpnProtocol, 'h2');
  t.is(socket && clientCertificateOf(socket), undefined);
  t.deepEqual(rig.refused, []);
});

test('the handler of a connection gets a client certificate of a trusted root', async (t) => {
  const rig = await createTlsRig(t);
  const { certificate, key } = rig.authority.issue({ uris: [SPIFFE_ID] });
  t.is(await rig.attempt({ cert: certificate, key }), 'taken');
  const [socket] = rig.taken;
  t.is(socket && clientCertificateOf(socket)?.subjectAltName, `URI:${SPIFFE_ID}`);
});

test('a client certificate of an intermediate CA is verified with the chain that the client sends', async (t) => {
  const rig = await createTlsRig(t);
  const intermediate = rig.authority.intermediate('cluster');
  const { certificate, key } = intermediate.issue({ uris: [SPIFFE_ID] });
  t.is(await rig.attempt({ cert: certificate + intermediate.certificate, key }), 'taken');
  t.not(await rig.attempt({ cert: certificate, key }), 'taken');
});

const foreign = createTestAuthority('mesh root');
const hour = 3_600_000;
for (const [what, credentials, reason] of [
  ['of a foreign root with the same name', () => foreign.issue({ uris: [SPIFFE_ID] }), /does not verify/],
  ['that signs for itself', () => createTestAuthority('self'), /does not verify: DEPTH_ZERO_SELF_SIGNED_CERT/],
] as const) {
  test(`a client certificate ${what} closes the connection and reports the reason`, async (t) => {
    const rig = await createTlsRig(t);
    const { certificate, key } = credentials();
    t.not(await rig.attempt({ cert: certificate, key }), 'taken');
    await eventually('the refusal', () => rig.refused.length > 0);
    t.regex(rig.refused[0]?.reason ?? '', reason);
    t.regex(rig.refused[0]?.peer ?? '', /^127\.0\.0\.1:\d+$/);
    t.is(rig.taken.length, 0);
  });
}

for (const [what, request, reason] of [
  ['that has expired', { notAfter: new Date(Date.now() - hour) }, /CERT_HAS_EXPIRED/],
  ['that is not valid yet', { notBefore: new Date(Date.now() + hour) }, /CERT_NOT_YET_VALID/],
  ['that is for servers alone', { usages: ['server'] }, /INVALID_PURPOSE/],
] as const) {
  test(`a client certificate ${what} closes the connection and reports the reason`, async (t) => {
    const rig = await createTlsRig(t);
    const { certificate, key } = rig.authority.issue({ uris: [SPIFFE_ID], ...request });
    t.not(await rig.attempt({ cert: certificate, key }), 'taken');
    await eventually('the refusal', () => rig.refused.length > 0);
    t.regex(rig.refused[0]?.reason ?? '', reason);
    t.is(rig.taken.length, 0);
  });
}

test('without client roots, no client certificate verifies, not even one of a public root', async (t) => {
  const rig = await createTlsRig(t);
  rig.use(materialOf(rig.authority, []));
  const { certificate, key } = rig.authority.issue({ uris: [SPIFFE_ID] });
  t.not(await rig.attempt({ cert: certificate, key }), 'taken');
  t.is(await rig.attempt(), 'taken');
});

test('a listener that requests no client certificates ignores one', async (t) => {
  const rig = await createTlsRig(t, { clientCertificates: 'none', alpn: ['http/1.1'] });
  const { certificate, key } = foreign.issue({ uris: [SPIFFE_ID] });
  t.is(await rig.attempt({ cert: certificate, key, ALPNProtocols: ['http/1.1'] }), 'taken');
  const [socket] = rig.taken;
  t.is(socket && clientCertificateOf(socket), undefined);
});

test('connections after a change get the new certificate and are verified with the new roots', async (t) => {
  const rig = await createTlsRig(t);
  const before = await rig.connect();
  const next = createTestAuthority('next root');
  const old = rig.authority.issue({ uris: [SPIFFE_ID] });
  const young = next.issue({ uris: [SPIFFE_ID] });
  t.not(await rig.attempt({ cert: young.certificate, key: young.key }), 'taken');
  rig.use(materialOf(next));
  const ca = [next.certificate];
  t.is(await rig.attempt(), 'SELF_SIGNED_CERT_IN_CHAIN');
  t.is(await rig.attempt({ ca, cert: young.certificate, key: young.key }), 'taken');
  t.not(await rig.attempt({ ca, cert: old.certificate, key: old.key }), 'taken');
  t.false(before.destroyed);
});

test('connections are closed while there is no TLS material', async (t) => {
  const rig = await createTlsRig(t, { material: { current: () => undefined, onChange: () => () => undefined } });
  t.not(await rig.attempt(), 'taken');
  t.is(rig.refused[0]?.reason, 'there is no server certificate yet');
});

test('unusable material is reported, and the previous material stays in use', async (t) => {
  const rig = await createTlsRig(t);
  const { certificate } = materialOf(rig.authority);
  rig.use({ certificate: { ...certificate, privateKey: foreign.key }, clientRoots: [] });
  rig.use({ certificate: { certificateChain: 'nonsense', privateKey: 'nonsense' }, clientRoots: [] });
  t.is(rig.unusable.length, 2);
  t.is(await rig.attempt(), 'taken');
});

test.serial(
  'TLS 1.1 is refused, also where the process would take it, and so is a foreign ALPN protocol',
  async (t) => {
    const before = tls.DEFAULT_MIN_VERSION;
    tls.DEFAULT_MIN_VERSION = 'TLSv1';
    t.teardown(() => {
      tls.DEFAULT_MIN_VERSION = before;
    });
    const rig = await createTlsRig(t);
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    t.is(await rig.attempt(old), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    t.not(await rig.attempt({ ALPNProtocols: ['http/1.1'] }), 'taken');
    t.is(rig.taken.length, 0);
    t.is(await rig.attempt({ maxVersion: 'TLSv1.2' }), 'taken');
  },
);

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  test(`a session of ${version} cannot be resumed, because resumption skips the check of the certificate`, async (t) => {
    const rig = await createTlsRig(t);
    const options = { minVersion: version, maxVersion: version } as const;
    const { certificate, key } = rig.authority.issue({ uris: [SPIFFE_ID] });
    const sessions: Buffer[] = [];
    const first = await rig.connect({ ...options, cert: certificate, key }, (session) => sessions.push(session));
    const session = sessions.at(-1) ?? first.getSession();
    const second = await rig.connect({ ...options, ...(session === undefined ? {} : { session }) });
    t.false(second.isSessionReused());
    const [, socket] = rig.taken;
    t.is(socket && clientCertificateOf(socket), undefined);
  });
}

test('a client cannot renegotiate on an open connection', async (t) => {
  const rig = await createTlsRig(t);
  const client = await rig.connect({ maxVersion: 'TLSv1.2' });
  const outcome = new Promise<string>((resolve) => {
    client.once('error', ({ message }) => resolve(message));
    client.renegotiate({}, (error) => resolve(error?.message ?? 'it could'));
  });
  client.write('more');
  t.regex(await outcome, /no renegotiation/);
});

test('a plaintext client is rejected, and the listener continues', async (t) => {
  const rig = await createTlsRig(t);
  const client = await rig.connectPlain();
  client.end('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  client.resume();
  await new Promise((resolve) => client.once('close', resolve));
  await eventually('the refusal', () => rig.refused.length > 0);
  t.is(await rig.attempt(), 'taken');
});

test('a slow handshake is closed at its timeout, even if the peer keeps sending', async (t) => {
  const clock = createFakeClock();
  const rig = await createTlsRig(t, { clock, handshakeTimeoutMs: 5_000 });
  const client = await rig.connectPlain();
  const closed = new Promise((resolve) => client.once('close', resolve));
  await eventually('the connection', () => clock.timers === 1);
  for (const byte of [0x16, 0x03, 0x01]) {
    client.write(Buffer.from([byte]));
    clock.advance(1_500);
  }
  clock.advance(500);
  await closed;
  t.is(rig.refused.at(-1)?.reason, 'no TLS handshake within 5s');
  t.is(clock.timers, 0);
});

test('connections leave no timer after their handshake or their end', async (t) => {
  const clock = createFakeClock();
  const rig = await createTlsRig(t, { clock });
  await rig.connect();
  const gone = await rig.connectPlain();
  await eventually('the connection', () => clock.timers === 1);
  gone.destroy();
  await eventually('its timer is gone', () => clock.timers === 0);
  t.is(rig.taken.length, 1);
});

test('half-open connections are limited, and the oldest are closed to make room', async (t) => {
  const clock = createFakeClock();
  const rig = await createTlsRig(t, { clock, maxPendingHandshakes: 3 });
  const idle = [await rig.connectPlain(), await rig.connectPlain(), await rig.connectPlain()];
  await eventually('the connections', () => clock.timers === 3);
  t.not(await rig.attempt(), 'taken');
  t.is(rig.refused.at(-1)?.reason, 'too many connections wait for their TLS handshake');
  clock.advance(1_000);
  t.is(await rig.attempt(), 'taken');
  await eventually('the oldest is gone', () => idle[0]?.destroyed === true || idle[0]?.readableEnded === true);
  t.is(clock.timers, 2);
});

test('an HTTP server serves the connections', async (t) => {
  const http = createServer((_request, response) => response.end('secure'));
  const rig = await createTlsRig(t, { clientCertificates: 'none', alpn: ['http/1.1'] }, (socket) =>
    http.emit('connection', socket),
  );
  const call = request({
    host: '127.0.0.1',
    port: rig.port,
    servername: 'meshd.test',
    ca: rig.authority.certificate,
    agent: false,
  }).end();
  const [response] = await once(call, 'response');
  t.is(String((await once(response, 'data'))[0]), 'secure');
});
