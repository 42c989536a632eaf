import { createHash } from 'node:crypto';
import { readKeySet } from '../config/security/json-web-keys.js';
import type { KeySource } from '../config/security/key-source.js';
import type { KeySet } from '../model/security/key-sets.js';
import type { FetchDocument } from '../net/egress/guarded-fetch.js';
import { discoverJwksUri } from './discover-jwks-uri.js';

/**
 * Fetches the keys of a source.
 *
 * @throws Error without usable keys. Its message has no text of the documents: an object's author, who reads it, chose
 *   the URL.
 */
export async function fetchKeySet(source: KeySource, fetchDocument: FetchDocument): Promise<KeySet> {
  const url = source.type === 'jwks' ? source.url : await discover(source, fetchDocument);
  const reading = readKeySet(await fetchDocument(url), false);
  if (reading.type === 'fault') throw new Error(`the document ${reading.reason}`);
  return { text: reading.text, version: createHash('sha256').update(reading.text).digest('base64url') };
}

async function discover({ issuer, url }: KeySource, fetchDocument: FetchDocument): Promise<string> {
  const jwksUri = await discoverJwksUri(issuer, fetchDocument);
  if (url.startsWith('https:') && !jwksUri.startsWith('https:')) {
    throw new Error('the discovery document has a jwks_uri that is not https');
  }
  return jwksUri;
}
