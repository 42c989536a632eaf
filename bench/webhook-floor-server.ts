import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSelfSignedCertificate } from '../test/support/self-signed-certificate.js';
import type { WebhookServerReady } from './webhook/webhook-protocol.js';

/** The least that a validation webhook can do, forked by the bench: it parses every review, and allows it. */

// Ends when the benchmark ends for any reason.
process.on('disconnect', () => process.exit(0));

const { certificate, key } = createSelfSignedCertificate();
const server = createServer({ cert: certificate, key }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { readonly request: { readonly uid: string } };
    const reply = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ ...reply, response: { uid: review.request.uid, allowed: true } }));
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const ready: WebhookServerReady = { port: (server.address() as AddressInfo).port, certificate, objects: 0 };
process.send?.(ready);
