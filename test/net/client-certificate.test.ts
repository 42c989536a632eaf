import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import test from 'ava';
import { clientCertificateOf } from '../../src/net/connection-certificates.js';
import { createTestAuthority } from '../support/certificate-issuer.js';

const certificate = new X509Certificate(createTestAuthority('root').certificate);
const socket = (authorized: boolean, found: X509Certificate | undefined): TLSSocket =>
  ({ authorized, getPeerX509Certificate: () => found }) as TLSSocket;

test('an unverified certificate gives no identity', (t) => {
  t.is(clientCertificateOf(socket(false, certificate)), undefined);
});

test('an authorised connection without a certificate has no identity', (t) => {
  t.is(clientCertificateOf(socket(true, undefined)), undefined);
});

test('a verified certificate is the identity of the client', (t) => {
  t.is(clientCertificateOf(socket(true, certificate)), certificate);
});
