import { Agent, request } from 'node:https';
import type { WebhookServerReady } from './webhook-protocol.js';

/** Asks a webhook server as API servers do: HTTPS, on connections that are kept. */
export interface ReviewSender {
  /** Settles with the answer's review, undefined for an HTTP error. */
  send(review: string): Promise<ReviewAnswer | undefined>;
  close(): void;
}

export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly warnings?: readonly string[];
}

export function createReviewSender({ port, certificate }: WebhookServerReady): ReviewSender {
  const agent = new Agent({ keepAlive: true, scheduling: 'lifo', ca: certificate });
  return {
    send: (review) =>
      new Promise((resolve, reject) => {
        const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(review) };
        const options = { host: '127.0.0.1', port, method: 'POST', path: '/validate?timeout=5s', headers, agent };
        const outgoing = request(options, (response) => {
          const chunks: Buffer[] = [];
          response.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            if (response.statusCode !== 200) return resolve(undefined);
            const reply = JSON.parse(Buffer.concat(chunks).toString()) as { readonly response: ReviewAnswer };
            resolve(reply.response);
          });
        });
        outgoing.on('error', reject);
        outgoing.end(review);
      }),
    close: () => agent.destroy(),
  };
}
