import { X509Certificate } from 'node:crypto';
import { isRecord } from '../../../base/record.js';

const MAX_KEYS = 256;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export interface SpiffeBundle {
  readonly roots: readonly X509Certificate[];
  /** `spiffe_refresh_hint` in milliseconds: how often to fetch the bundle; undefined if the bundle has none. */
  readonly refreshMs: number | undefined;
}

/**
 * Reads the roots of a trust domain from its bundle: a JWKS document, whose `x509-svid` entries have exactly one
 * certificate each (docs/reference/certificate-authority.md#bundle-endpoints). Other entries are ignored.
 *
 * @throws Error for a text that is not a bundle or has no root
 */
export function parseSpiffeBundle(text: string): SpiffeBundle {
  const document = parseJson(text);
  const keys = isRecord(document) ? document['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('the bundle is not a JWKS document: it has no list "keys"');
  if (keys.length > MAX_KEYS) throw new Error(`the bundle has ${keys.length} keys, at most ${MAX_KEYS} are taken`);
  const roots = keys.flatMap((key: unknown, index) =>
    isRecord(key) && key['use'] === 'x509-svid' ? [rootOf(key, index)] : [],
  );
  if (roots.length === 0) throw new Error('the bundle has no key for x509-svid, so no root');
  const hint = isRecord(document) ? document['spiffe_refresh_hint'] : undefined;
  return { roots, refreshMs: typeof hint === 'number' && hint > 0 ? hint * 1000 : undefined };
}

function rootOf(key: Readonly<Record<string, unknown>>, index: number): X509Certificate {
  const chain = key['x5c'];
  if (!Array.isArray(chain) || chain.length !== 1) {
    const count = Array.isArray(chain) ? chain.length : 0;
    throw new Error(`keys[${index}].x5c must have exactly one certificate, it has ${count}`);
  }
  const [encoded] = chain as readonly unknown[];
  const certificate = parseCertificate(encoded);
  if (certificate === undefined) throw new Error(`keys[${index}].x5c[0] is not a certificate in base64`);
  if (!certificate.ca) throw new Error(`keys[${index}].x5c[0] is not the certificate of an authority`);
  return certificate;
}

function parseCertificate(encoded: unknown): X509Certificate | undefined {
  if (typeof encoded !== 'string' || !BASE64.test(encoded)) return undefined;
  try {
    return new X509Certificate(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
