import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import test from 'ava';
import { clientCertificateOf } from '../../src/net/connection-certificates.js';
import { createTestAuthority } from '../support/certificate-issuer.js';

const certificate = new X509Certificate(createTestAuthority('root').certificate);
const socket = (authorized: boolean, found: X509Certificate | undefined): TLSSocket =>
  ({ authorized, getPeerX509Certificate: () => found }) as TLSSocket;

test('a certificate that TLS has not verified is nobody', (t) => {
  t.is(clientCertificateOf(socket(false, certificate)), undefined);
});

test('a connection that counts as authorised without any certificate is nobody', (t) => {
  t.is(clientCertificateOf(socket(true, undefined)), undefined);
});

test('a verified certificate is who the client is', (t) => {
  t.is(clientCertificateOf(socket(true, certificate)), certificate);
});
