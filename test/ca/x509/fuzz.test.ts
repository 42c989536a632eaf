import { KeyObject } from 'node:crypto';
import test from 'ava';
import { SigningError } from '../../../src/ca/authority/certificate-authority.js';
import { checkMaterial } from '../../../src/ca/authority/check-material.js';
import { readCertificateRequest } from '../../../src/ca/x509/certificate-request.js';
import { DerError, readDer } from '../../../src/ca/x509/der-reader.js';
import { formatPem, PemError, parsePem } from '../../../src/ca/x509/pem.js';
import { parseCertificates, readCertificateFields } from '../../../src/ca/x509/read-certificate.js';
import { mangled, mutated } from '../../support/arbitrary-octets.js';
import fc from '../../support/property-testing.js';
import { selfSigned } from '../support/material.js';
import { createOpenSsl, makeRequest } from '../support/openssl.js';
import { makePluggedIn } from '../support/plugged-in.js';

// fast-check prints the seed and the path of a failure.
const RUNS = { numRuns: 10_000 };

test('any bytes as a request are rejected, or give the key that signed them', async (t) => {
  const openssl = await createOpenSsl(t);
  const requests = [await makeRequest(openssl, 'EC P-256'), await makeRequest(openssl, 'RSA 2048')];
  const keys = await Promise.all(requests.map(readCertificateRequest));
  const requestOf = (octets: Buffer): string => formatPem('CERTIFICATE REQUEST', octets);
  const texts = fc.oneof(
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 300 }).map((octets) => requestOf(Buffer.from(octets))) },
    { weight: 2, arbitrary: fc.constantFrom(...requests).chain(mangled) },
    { weight: 5, arbitrary: fc.constantFrom(...requests).chain((each) => mutated(derOf(each)).map(requestOf)) },
  );
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      try {
        const key = await readCertificateRequest(text);
        accepted += 1;
        return key instanceof KeyObject && keys.some((each) => each.equals(key));
      } catch (error) {
        return error instanceof SigningError && error.code === 'CSR_ERROR';
      }
    }),
    RUNS,
  );
  t.true(accepted < 1_000, `${accepted} accepted`);
});

test('a bundle of certificates is read or rejected', async (t) => {
  const { roots: chain } = await makePluggedIn(await createOpenSsl(t));
  const octets = derOf(chain);
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.uint8Array({ maxLength: 300 }).map((each) => formatPem('CERTIFICATE', Buffer.from(each))),
    mangled(chain),
    mutated(octets).map((each) => formatPem('CERTIFICATE', each) + chain),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        for (const certificate of parseCertificates(text)) {
          if (!(readCertificateFields(certificate).notAfter instanceof Date)) return false;
        }
        return true;
      } catch (error) {
        return error instanceof PemError;
      }
    }),
    RUNS,
  );
  t.pass();
});

test('material from files with any content is accepted, or has a problem with a remedy', async (t) => {
  const plugged = await makePluggedIn(await createOpenSsl(t));
  const root = await selfSigned();
  const partOf = fc.constantFrom('privateKey', 'certificate', 'chain', 'roots');
  const spoilt = fc.constantFrom(plugged, root).chain((texts) =>
    partOf.chain((part) => {
      const octets =
        texts[part] === ''
          ? fc.constant('')
          : mutated(derOf(texts[part])).map((each) => formatPem('CERTIFICATE', each));
      return fc.oneof(mangled(texts[part]), octets).map((text) => ({ ...texts, [part]: text }));
    }),
  );
  fc.assert(
    fc.property(spoilt, (texts) => {
      const checked = checkMaterial(texts);
      if (checked.type === 'material') return true;
      const { problem, remedy } = checked.problem;
      return problem !== '' && remedy !== '' && !problem.includes('\n') && !problem.includes('PRIVATE KEY-----');
    }),
    RUNS,
  );
  t.pass();
});

test('DER is read to its end or rejected, and the elements equal the input', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (each) => {
      const octets = Buffer.from(each);
      try {
        return Buffer.concat(readDer(octets).map(({ raw }) => raw)).equals(octets);
      } catch (error) {
        return error instanceof DerError;
      }
    }),
    RUNS,
  );
  t.pass();
});

test('PEM that was written is read unchanged', (t) => {
  const label = fc.constantFrom('CERTIFICATE', 'CERTIFICATE REQUEST', 'X509 CRL');
  const blocks = fc.array(
    fc.record({ label, der: fc.uint8Array({ minLength: 1, maxLength: 200 }).map((each) => Buffer.from(each)) }),
  );
  fc.assert(
    fc.property(blocks, (known) => {
      const found = parsePem(known.map(({ label: name, der }) => `text\n${formatPem(name, der)}`).join(''));
      return found.length === known.length && found.every(({ der }, index) => known[index]?.der.equals(der));
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

function derOf(text: string): Buffer {
  return parsePem(text)[0]?.der ?? Buffer.alloc(0);
}
