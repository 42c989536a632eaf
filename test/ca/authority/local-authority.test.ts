import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import test from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { SigningError, type SubjectAltName } from '../../../src/ca/authority/certificate-authority.js';
import { createLocalAuthority } from '../../../src/ca/authority/local-authority.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { DAY_MS, ecKey, materialOf, rsaKey, selfSigned } from '../support/material.js';
import { createOpenSsl } from '../support/openssl.js';
import { makePluggedIn } from '../support/plugged-in.js';

const TTLS = { defaultMs: DAY_MS, maxMs: 90 * DAY_MS };
const REVIEWS: SubjectAltName = { type: 'uri', value: 'spiffe://cluster.local/ns/shop/sa/reviews' };
const workload = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const REQUEST = { publicKey: workload.publicKey, subjectAltNames: [REVIEWS], ttlMs: 0 };

for (const [name, key] of [
  ['RSA 2048', rsaKey()],
  ['EC P-256', ecKey('P-256')],
  ['EC P-384', ecKey('P-384')],
] as const) {
  test(`a certificate signed with ${name} verifies, and has the fields of a workload certificate`, async (t) => {
    const openssl = await createOpenSsl(t);
    const authority = createLocalAuthority({ clock: systemClock, ttls: TTLS });
    authority.replace(materialOf(await selfSigned({ key })));
    const { chain } = await authority.issue(REQUEST);

    t.is(chain.length, 1);
    await openssl.file('root.pem', authority.bundle().roots.join(''));
    await openssl.file('leaf.pem', chain[0] ?? '');
    for (const purpose of ['sslserver', 'sslclient']) {
      const verified = await openssl('verify', '-x509_strict', '-purpose', purpose, '-CAfile', 'root.pem', 'leaf.pem');
      t.is(verified, 'leaf.pem: OK\n');
    }
    const text = await openssl('x509', '-in', 'leaf.pem', '-noout', '-text');
    t.regex(text, /Version: 3/);
    t.regex(text, /Issuer: O = cluster\.local\n/);
    t.regex(text, /Subject: \n/);
    t.regex(text, /X509v3 Key Usage: critical\n\s+Digital Signature, Key Encipherment\n/);
    t.regex(text, /X509v3 Extended Key Usage: \n\s+TLS Web Server Authentication, TLS Web Client Authentication\n/);
    t.regex(text, /X509v3 Basic Constraints: critical\n\s+CA:FALSE\n/);
    t.regex(
      text,
      /X509v3 Subject Alternative Name: critical\n\s+URI:spiffe:\/\/cluster\.local\/ns\/shop\/sa\/reviews\n/,
    );
  });
}

test('certificates of an intermediate CA verify with the chain that is sent with them', async (t) => {
  const openssl = await createOpenSsl(t);
  const texts = await makePluggedIn(openssl);
  const authority = createLocalAuthority({ clock: systemClock, ttls: TTLS });
  authority.replace(materialOf(texts));
  const { chain } = await authority.issue(REQUEST);
  const { roots, intermediates } = authority.bundle();

  t.deepEqual(chain.slice(1), intermediates);
  t.is(intermediates.length, 2);
  t.is(roots.length, 1);
  await openssl.file('trusted.pem', roots.join(''));
  await openssl.file('between.pem', chain.slice(1).join(''));
  await openssl.file('leaf.pem', chain[0] ?? '');
  const verified = await openssl(
    'verify',
    '-x509_strict',
    '-CAfile',
    'trusted.pem',
    '-untrusted',
    'between.pem',
    'leaf.pem',
  );
  t.is(verified, 'leaf.pem: OK\n');
});

test('a certificate has names of all types, and an empty subject', async (t) => {
  const authority = createLocalAuthority({ clock: systemClock, ttls: TTLS });
  authority.replace(materialOf(await selfSigned()));
  const { chain } = await authority.issue({
    ...REQUEST,
    subjectAltNames: [
      REVIEWS,
      { type: 'dns', value: 'meshd.mesh-system.svc' },
      { type: 'ip', value: '10.1.2.3' },
      { type: 'ip', value: 'fd00::1' },
    ],
  });
  const leaf = new X509Certificate(chain[0] ?? '');
  t.is(
    leaf.subjectAltName,
    'URI:spiffe://cluster.local/ns/shop/sa/reviews, DNS:meshd.mesh-system.svc, IP Address:10.1.2.3, IP Address:FD00:0:0:0:0:0:0:1',
  );
  t.falsy(leaf.subject);
});

test('names that a certificate cannot hold are rejected', async (t) => {
  const authority = createLocalAuthority({ clock: systemClock, ttls: TTLS });
  authority.replace(materialOf(await selfSigned()));
  for (const subjectAltNames of [
    [],
    [{ type: 'uri', value: '' }],
    [{ type: 'uri', value: 'spiffe://td/ns/a/sa/b\u0000c' }],
    [{ type: 'dns', value: 'münchen' }],
    [{ type: 'dns', value: 'a, DNS:b' }],
    [{ type: 'ip', value: '1' }],
    [{ type: 'ip', value: '10.0.0.0/8' }],
  ] as const satisfies readonly (readonly SubjectAltName[])[]) {
    await t.throwsAsync(authority.issue({ ...REQUEST, subjectAltNames }), {
      instanceOf: SigningError,
      code: 'CERT_GEN_ERROR',
    });
  }
});

test('serial numbers are positive, have 128 bits, and differ', async (t) => {
  const authority = createLocalAuthority({ clock: systemClock, ttls: TTLS });
  authority.replace(materialOf(await selfSigned()));
  const serials = new Set<string>();
  for (let round = 0; round < 200; round++) {
    const { chain } = await authority.issue(REQUEST);
    const { serialNumber } = new X509Certificate(chain[0] ?? '');
    t.regex(serialNumber, /^[0-9A-F]{2,32}$/);
    serials.add(serialNumber);
  }
  t.is(serials.size, 200);
  t.true(
    [...serials].some((serial) => serial.length === 32 && /^[89A-F]/.test(serial)),
    'the highest bit is used too',
  );
});

test('a certificate has the requested lifetime, by default a day, and is valid from a minute before it was made', async (t) => {
  const clock = createFakeClock();
  const authority = createLocalAuthority({ clock, ttls: TTLS });
  authority.replace(materialOf(await selfSigned({ now: new Date('2025-01-01T00:00:00Z') })));
  for (const [ttlMs, notAfter] of [
    [0, '2026-01-02T00:00:00.000Z'],
    [-5_000, '2026-01-02T00:00:00.000Z'],
    [Number.NaN, '2026-01-02T00:00:00.000Z'],
    [3_600_000, '2026-01-01T01:00:00.000Z'],
    [1, '2026-01-01T00:00:01.000Z'],
    [90 * DAY_MS, '2026-04-01T00:00:00.000Z'],
  ] as const) {
    const issued = await authority.issue({ ...REQUEST, ttlMs });
    t.is(issued.notAfter.toISOString(), notAfter);
    t.is(issued.notBefore.toISOString(), '2025-12-31T23:59:00.000Z');
    const leaf = new X509Certificate(issued.chain[0] ?? '');
    t.is(new Date(leaf.validTo).toISOString(), notAfter);
    t.is(new Date(leaf.validFrom).toISOString(), '2025-12-31T23:59:00.000Z');
  }
});

test('a lifetime above the maximum is rejected', async (t) => {
  const authority = createLocalAuthority({ clock: systemClock, ttls: { defaultMs: DAY_MS, maxMs: 2160 * 3_600_000 } });
  authority.replace(materialOf(await selfSigned()));
  for (const [ttlMs, text] of [
    [2160 * 3_600_000 + 1_000, '2160h0m1s'],
    [9e18, '2500000000000h0m0s'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
  ] as const) {
    const error = await t.throwsAsync(authority.issue({ ...REQUEST, ttlMs }), { instanceOf: SigningError });
    t.is(error?.code, 'TTL_ERROR');
    t.true(error?.message.startsWith(`requested TTL ${text}`), error?.message);
    t.true(error?.message.endsWith(' is greater than the max allowed TTL 2160h0m0s'), error?.message);
  }
});

test('no certificate outlives the certificates that verify it', async (t) => {
  const clock = createFakeClock();
  const authority = createLocalAuthority({ clock, ttls: TTLS });
  authority.replace(materialOf(await selfSigned({ now: clock.now(), ttlMs: 3_600_000 })));
  for (const ttlMs of [0, 2 * 3_600_000]) {
    const { notBefore, notAfter } = await authority.issue({ ...REQUEST, ttlMs });
    t.is(notAfter.toISOString(), '2026-01-01T01:00:00.000Z');
    t.is(notBefore.toISOString(), '2025-12-31T23:59:00.000Z');
  }
  clock.advance(3_600_000);
  await t.throwsAsync(authority.issue(REQUEST), {
    instanceOf: SigningError,
    code: 'CA_NOT_READY',
    message: 'the certificates of the certificate authority expired at 2026-01-01T01:00:00.000Z',
  });
});

test('a certificate is not valid before its issuer', async (t) => {
  const clock = createFakeClock();
  const authority = createLocalAuthority({ clock, ttls: TTLS });
  authority.replace(materialOf(await selfSigned({ now: new Date(clock.now().getTime() + 30_000) })));
  const { notBefore } = await authority.issue(REQUEST);
  t.is(notBefore.toISOString(), '2025-12-31T23:59:30.000Z');
});

test('years from 2050 on are written in the form that RFC 5280 requires', async (t) => {
  const openssl = await createOpenSsl(t);
  const { certificate } = await selfSigned({ now: new Date('2049-12-31T23:59:59Z'), ttlMs: 1_000 });
  await openssl.file('root.pem', certificate);
  const text = await openssl('x509', '-in', 'root.pem', '-noout', '-dates');
  t.is(text, 'notBefore=Dec 31 23:58:59 2049 GMT\nnotAfter=Jan  1 00:00:00 2050 GMT\n');
  const own = await selfSigned();
  t.is(materialOf({ ...own, roots: certificate + own.roots }).roots.length, 2);
});

test('an authority without a key signs nothing and trusts nothing, and calls its listeners when it gets a key', async (t) => {
  const authority = createLocalAuthority({ clock: systemClock, ttls: TTLS });
  t.deepEqual(authority.bundle(), { roots: [], intermediates: [] });
  await t.throwsAsync(authority.issue(REQUEST), { instanceOf: SigningError, code: 'CA_NOT_READY' });
  let changes = 0;
  const end = authority.onChange(() => {
    changes += 1;
  });
  authority.replace(materialOf(await selfSigned()));
  t.is(changes, 1);
  t.is((await authority.issue(REQUEST)).chain.length, 1);
  end();
  authority.replace(materialOf(await selfSigned()));
  t.is(changes, 1);
});

test('two sides with certificates of one authority trust each other in a TLS handshake', async (t) => {
  const authority = createLocalAuthority({ clock: systemClock, ttls: TTLS });
  authority.replace(materialOf(await selfSigned({ key: rsaKey() })));
  const key = workload.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const cert = (await authority.issue({ ...REQUEST, subjectAltNames: [REVIEWS, { type: 'dns', value: 'reviews' }] }))
    .chain;
  const material = { key, cert: cert.join(''), ca: [...authority.bundle().roots] };
  const server = createServer({ ...material, requestCert: true, rejectUnauthorized: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'secureConnection');
  const client = connect({ ...material, port: (server.address() as AddressInfo).port, servername: 'reviews' });
  await once(client, 'secureConnect');
  const [socket] = (await accepted) as [TLSSocket];
  t.true(client.authorized && socket.authorized);
  t.is(socket.getPeerX509Certificate()?.publicKey.equals(createPublicKey(workload.privateKey)), true);
  client.destroy();
  server.close();
});
