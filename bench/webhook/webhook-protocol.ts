import type { JsonObject } from './json-object.js';

/** What the bench tells the webhook server, first of all. */
export interface WebhookServerTask {
  readonly mesh: readonly JsonObject[];
}

/** What the webhook server tells the bench, once it can be asked. */
export interface WebhookServerReady {
  readonly port: number;
  /** PEM; what it presents. */
  readonly certificate: string;
  /** Objects of the mesh that were taken. */
  readonly objects: number;
}
