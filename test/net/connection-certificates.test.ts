import { X509Certificate } from 'node:crypto';
import type { Http2Session } from 'node:http2';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import test from 'ava';
import { createConnectionCertificates } from '../../src/net/connection-certificates.js';
import { createSelfSignedCertificate } from '../support/self-signed-certificate.js';

const certificate = new X509Certificate(createSelfSignedCertificate().certificate);

function connection(authorized: boolean) {
  let readings = 0;
  const socket = Object.assign(new TLSSocket(new Socket()), {
    authorized,
    getPeerX509Certificate: () => {
      readings++;
      return new X509Certificate(certificate.raw);
    },
  });
  return { session: { socket } as unknown as Http2Session, readings: () => readings };
}

test('the certificate of a connection is read once, and is the same object for all of its calls', (t) => {
  const certificates = createConnectionCertificates();
  const { session, readings } = connection(true);
  const first = certificates.of(session);
  t.is(first?.fingerprint256, certificate.fingerprint256);
  t.is(certificates.of(session), first);
  t.is(readings(), 1);
});

test('each connection has its own certificate', (t) => {
  const certificates = createConnectionCertificates();
  t.not(certificates.of(connection(true).session), certificates.of(connection(true).session));
});

test('an unverified certificate counts as no certificate', (t) => {
  t.is(createConnectionCertificates().of(connection(false).session), undefined);
});
