import { X509Certificate } from 'node:crypto';
import { errorText } from '../../base/error-text.js';

/** The root certificates that verify the HTTPS server's certificate, in PEM. They change at run time. */
export interface CaBundleSource {
  /** Undefined until there is a root certificate. */
  current(): string | undefined;
  /** @returns a function that removes the listener */
  onChange(listener: () => void): () => void;
}

/** Reasons of the metric cfgsrv_validation_config_load_error. */
export type CaBundleProblem = 'could not read caBundle file' | 'could not verify caBundle';

export type CaBundle =
  /** The value of `caBundle` in webhook configurations. */
  | { readonly type: 'bundle'; readonly base64: string }
  | { readonly type: 'unusable'; readonly reason: CaBundleProblem; readonly cause: string };

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** API servers reject a webhook configuration whose caBundle contains anything but certificates. */
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
      return `it has a certificate that cannot be parsed: ${errorText(error)}`;
    }
  }
  return undefined;
}
