import { Agent, request } from 'node:https';
import { asked, QUOTA_SPEC } from '../../../webhooks/fixtures/ask.js';
import type { AttackTarget } from '../attack.js';
import type { ProbeUser } from '../probe.js';

/** An API server that asks whether an object is valid, over a connection that it keeps. */
export function createReviewUser({ host, ports, root, serverName }: AttackTarget): ProbeUser {
  const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.3', ca: root, servername: serverName });
  const body = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: asked(QUOTA_SPEC, { oldObject: null }),
  });
  return {
    name: 'webhook review',
    act: () =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        const options = { host, port: ports.https, path: '/validate', method: 'POST', headers, agent };
        const call = request(options, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => {
            if (response.statusCode === 200 && text.includes('"allowed":true')) resolve();
            else reject(new Error(`the review was answered ${response.statusCode}: ${text.slice(0, 300)}`));
          });
        });
        call.on('error', reject);
        call.end(body);
      }),
    close: () => agent.destroy(),
  };
}
