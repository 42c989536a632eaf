import type { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { uriNamesOf } from '../../../src/ca/authentication/spiffe/certificate-names.js';
import { readCertificateRequestMessage } from '../../../src/ca/service/certificate-messages.js';
import { readCertificateRequest } from '../../../src/ca/x509/certificate-request.js';
import { readDer } from '../../../src/ca/x509/der-reader.js';
import { formatPem, parsePem } from '../../../src/ca/x509/pem.js';
import { parseCertificates, readCertificateFields } from '../../../src/ca/x509/read-certificate.js';
import { mangled, mutated } from '../../support/arbitrary-octets.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.js';

const { certificate } = createTestAuthority('root');
const octets = parsePem(certificate)[0]?.der ?? Buffer.alloc(0);
/** A request for a P-256 key, in the form that OpenSSL writes. */
const REQUEST = Buffer.from(
  'MIHKMHICAQAwEDEOMAwGA1UEAwwFcHJveHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASmQ0hXKvDxvLZ1k0XZJb2mHCB8l0r6Vw2C6m9m0zQ3i1Z9' +
    'b0cWJ5XkZ6o8Yl1rC7s0Qv3kX9o1f2b5j8dFoAAwCgYIKoZIzj0EAwIDSAAwRQIhAL0=',
  'base64',
);
const pemOf = (label: string) => (each: Uint8Array) => formatPem(label, Buffer.from(each));

export const certificateTargets: readonly FuzzTarget[] = [
  fuzzTarget('certificate-request', {
    inputs: fc.oneof(
      { weight: 4, arbitrary: mutated(REQUEST).map(pemOf('CERTIFICATE REQUEST')) },
      mangled(formatPem('CERTIFICATE REQUEST', REQUEST)),
      fc.uint8Array({ maxLength: 300 }).map(pemOf('CERTIFICATE REQUEST')),
      fc.string({ unit: 'binary', maxLength: 200 }),
    ),
    refusals: ['SigningError'],
    run: readCertificateRequest,
  }),
  fuzzTarget('certificate-request-message', {
    inputs: fc.uint8Array({ maxLength: 200 }),
    // Of the protobuf library; the call ends with INVALID_ARGUMENT.
    refusals: ['Error', 'RangeError'],
    run: (bytes) => readCertificateRequestMessage(Buffer.from(bytes)),
  }),
  fuzzTarget('certificates', {
    inputs: fc.oneof(
      mangled(certificate),
      mutated(octets).map((each) => formatPem('CERTIFICATE', each) + certificate),
      fc.uint8Array({ maxLength: 300 }).map(pemOf('CERTIFICATE')),
    ),
    refusals: ['PemError'],
    run: (text) => parseCertificates(text).map(readCertificateFields),
  }),
  fuzzTarget('der', {
    inputs: fc.oneof(fc.uint8Array({ maxLength: 400 }), mutated(octets)),
    refusals: ['DerError'],
    run: (bytes) => readDer(Buffer.from(bytes)),
  }),
  fuzzTarget('certificate-names', {
    inputs: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('URI:', 'DNS:', '"', ', ', '\\', 'spiffe://td/ns/a/sa/b', 'x'))
        .map((parts) => parts.join('')),
    ),
    run: (subjectAltName) => uriNamesOf({ subjectAltName } as X509Certificate),
  }),
];
