import { X509Certificate } from 'node:crypto';

/** The roots that vouch for the certificate of our HTTPS server, PEM; they change at run time. */
export interface CaBundleSource {
  /** Undefined while there are none. */
  current(): string | undefined;
  /** @returns ends it. */
  onChange(listener: () => void): () => void;
}

/** Reasons of cfgsrv_validation_config_load_error (BEHAVIOUR 1, "Webhooks"). */
export type CaBundleProblem = 'could not read caBundle file' | 'could not verify caBundle';

export type CaBundle =
  /** As webhook configurations hold it. */
  | { readonly type: 'bundle'; readonly base64: string }
  | { readonly type: 'unusable'; readonly reason: CaBundleProblem; readonly cause: string };

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** API servers refuse a webhook configuration whose caBundle is anything but certificates. */
export function readCaBundle(source: CaBundleSource): CaBundle {
  const pem = source.current();
  if (pem === undefined) {
    return { type: 'unusable', reason: 'could not read caBundle file', cause: 'there is no root certificate yet' };
  }
  const cause = problemOf(pem);
  if (cause !== undefined) return { type: 'unusable', reason: 'could not verify caBundle', cause };
  return { type: 'bundle', base64: Buffer.from(pem).toString('base64') };
}

function problemOf(pem: string): string | undefined {
  const blocks = [...pem.matchAll(BLOCK)];
  if (blocks.length === 0) return 'it has no PEM block';
  for (const [text, label] of blocks) {
    if (label !== 'CERTIFICATE') return `it has a PEM block of ${label}, not CERTIFICATE`;
    try {
      new X509Certificate(text);
    } catch (error) {
      return `it has a certificate that cannot be parsed: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return undefined;
}
