import { isRecord } from '../base/record.js';
import { discoveryUrlOf } from '../config/security/key-source.js';
import type { FetchDocument } from '../net/egress/guarded-fetch.js';

/**
 * The URL of an issuer's keys, from its discovery document (OpenID Connect Discovery 1.0).
 *
 * @throws Error without such a document of this issuer
 */
export async function discoverJwksUri(issuer: string, fetchDocument: FetchDocument): Promise<string> {
  const configuration = parseJson(await fetchDocument(discoveryUrlOf(issuer)));
  if (!isRecord(configuration)) throw new Error('the discovery document is not a JSON object');
  // Section 4.3: the issuer must be exactly equal. Otherwise one issuer could answer for another.
  if (configuration['issuer'] !== issuer) throw new Error('the discovery document names another issuer');
  const jwksUri = configuration['jwks_uri'];
  if (typeof jwksUri !== 'string') throw new Error('the discovery document has no jwks_uri');
  return jwksUri;
}

/** @returns undefined for a text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
