import type { JsonObject } from './json-object.js';

/** First message of the benchmark to the webhook server. */
export interface WebhookServerTask {
  readonly mesh: readonly JsonObject[];
}

/** Message of the webhook server when it is ready. */
export interface WebhookServerReady {
  readonly port: number;
  /** Certificate of the server, PEM. */
  readonly certificate: string;
  /** Objects of the mesh that were taken. */
  readonly objects: number;
}
