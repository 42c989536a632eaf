import test from 'ava';
import { readCaBundle } from '../../../src/webhooks/certificates/ca-bundle.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { createTestCaBundle } from '../fixtures/ca-bundle.js';

const { certificate, key } = createTestAuthority('root');
const read = (pem: string | undefined) => readCaBundle(createTestCaBundle(pem));

test('one or several certificates, with or without other text, are a valid caBundle', (t) => {
  for (const pem of [certificate, `# our root\n${certificate}\n${certificate}`]) {
    t.deepEqual(read(pem), { type: 'bundle', base64: Buffer.from(pem).toString('base64') });
  }
});

test('a missing root certificate is reported as an unreadable file', (t) => {
  t.like(read(undefined), { type: 'unusable', reason: 'could not read caBundle file' });
});

for (const [what, pem, cause] of [
  ['nothing', '', 'it has no PEM block'],
  ['text', 'certificate', 'it has no PEM block'],
  ['a private key', key, 'it has a PEM block of PRIVATE KEY, not CERTIFICATE'],
  ['a certificate with its key', certificate + key, 'it has a PEM block of PRIVATE KEY, not CERTIFICATE'],
] as const) {
  test(`${what} is not a valid caBundle`, (t) => {
    t.deepEqual(read(pem), { type: 'unusable', reason: 'could not verify caBundle', cause });
  });
}

test('an unreadable certificate is not a valid caBundle', (t) => {
  const result = read('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  t.like(result, { type: 'unusable', reason: 'could not verify caBundle' });
  if (result.type === 'unusable') t.regex(result.cause, /^it has a certificate that cannot be parsed: /);
});
