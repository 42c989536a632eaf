import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { SigningError } from '../../../src/ca/authority/certificate-authority.js';
import { readCertificateRequest } from '../../../src/ca/x509/certificate-request.js';
import { formatPem, parsePem } from '../../../src/ca/x509/pem.js';
import { createOpenSsl, type KEYS, makeRequest } from '../support/openssl.js';

const NOT_ENCODED = /^certificate signing request is not properly encoded \(/;
const NOT_PARSED = 'failed to parse X.509 certificate signing request';
const NOT_SIGNED = /^the signature of the certificate signing request is not by the private key of its public key; /;

async function refused(t: ExecutionContext, request: string, message: string | RegExp): Promise<void> {
  await t.throwsAsync(readCertificateRequest(request), { instanceOf: SigningError, code: 'CSR_ERROR', message });
}

for (const kind of ['EC P-256', 'EC P-384', 'RSA 2048'] as const) {
  test(`a request of ${kind} gives the public key that signed it`, async (t) => {
    const openssl = await createOpenSsl(t);
    for (const digest of ['-sha256', '-sha384', '-sha512']) {
      const request = await makeRequest(openssl, kind, digest);
      const key = await readCertificateRequest(`\n${request}\r\n `);
      const own = createPublicKey(await readFile(join(openssl.folder, 'request.key'), 'utf8'));
      t.true(key.equals(own), digest);
      t.is(key.type, 'public');
    }
  });
}

for (const [kind, why] of [
  ['RSA 1024', 'RSA of 1024 bits'],
  ['EC P-521', 'EC on secp521r1'],
  ['EC secp256k1', 'EC on secp256k1'],
  ['EC with explicit parameters', 'EC on a curve without a name'],
  ['Ed25519', 'of type ed25519'],
] as const satisfies readonly (readonly [keyof typeof KEYS, string])[]) {
  test(`a key ${why} is rejected, and the error names the accepted keys`, async (t) => {
    const request = await makeRequest(await createOpenSsl(t), kind);
    const message =
      `the key of the certificate signing request is not accepted: ${why}; ` +
      'use RSA of 2048 to 8192 bits, or EC on P-256 or P-384';
    await refused(t, request, message);
  });
}

test('a request that is signed with SHA-1 is rejected', async (t) => {
  await refused(t, await makeRequest(await createOpenSsl(t), 'RSA 2048', '-sha1'), NOT_SIGNED);
});

test('a request with a public key whose private key did not sign it is rejected', async (t) => {
  const openssl = await createOpenSsl(t);
  const own = derOf(await makeRequest(openssl, 'EC P-256'));
  const foreign = derOf(await makeRequest(openssl, 'EC P-256'));
  const keyOf = (der: Buffer): Buffer => {
    // Of P-256: the point is the last 65 octets of the key, which follow the curve's name.
    const curve = Buffer.from('06082a8648ce3d030107034200', 'hex');
    const start = der.indexOf(curve) + curve.length;
    return der.subarray(start, start + 65);
  };
  const stolen = Buffer.from(own);
  keyOf(foreign).copy(keyOf(stolen));
  await refused(t, formatPem('CERTIFICATE REQUEST', stolen), NOT_SIGNED);
});

test('a request that was changed after it was signed is rejected', async (t) => {
  const request = derOf(await makeRequest(await createOpenSsl(t), 'RSA 2048'));
  const changed = Buffer.from(request);
  const at = changed.indexOf('admin');
  t.true(at > 0);
  changed.write('nimda', at);
  await refused(t, formatPem('CERTIFICATE REQUEST', changed), NOT_SIGNED);
});

test('a request that is not one PEM block of a request is not properly encoded', async (t) => {
  const openssl = await createOpenSsl(t);
  const request = await makeRequest(openssl, 'EC P-256');
  const key = await readFile(join(openssl.folder, 'request.key'), 'utf8');
  for (const text of [
    '',
    'request',
    request + request,
    `text before\n${request}`,
    `${request}text after`,
    key,
    request.replace('-----END', '-----FIN'),
    request.replace('\n', '\nProc-Type: 4,ENCRYPTED\n\n'),
    request.replaceAll('CERTIFICATE REQUEST', ''),
    request.slice(0, 120),
    ' '.repeat(33 * 1024),
    request.replace('\n', `\n${' '.repeat(33 * 1024)}`),
  ]) {
    await refused(t, text, NOT_ENCODED);
  }
});

test('octets that are not a request cannot be parsed', async (t) => {
  const der = derOf(await makeRequest(await createOpenSsl(t), 'EC P-256'));
  const withVersion2 = Buffer.from(der);
  withVersion2.writeUInt8(1, der.indexOf(Buffer.from('020100', 'hex')) + 2);
  for (const octets of [
    Buffer.from([0x30, 0]),
    Buffer.from([0x30, 0x80, 0, 0]),
    der.subarray(0, der.length - 1),
    Buffer.concat([der, Buffer.from([5, 0])]),
    Buffer.concat([Buffer.from([0x31]), der.subarray(1)]),
    withVersion2,
    Buffer.alloc(9_000, 0x30),
  ]) {
    await refused(t, formatPem('CERTIFICATE REQUEST', octets), NOT_PARSED);
  }
});

function derOf(request: string): Buffer {
  return parsePem(request)[0]?.der ?? Buffer.alloc(0);
}
