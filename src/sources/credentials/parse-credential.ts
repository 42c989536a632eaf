import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { CredentialState } from '../../model/gateways/credential.js';
import type { CredentialPart } from '../../model/gateways/credential-names.js';

/** The texts of a secret, by the names of its keys. */
export type CredentialTexts = Readonly<Record<string, string>>;

/** Names of keys in secrets of type `kubernetes.io/tls`, and in generic ones. */
const CHAIN_KEYS = ['tls.crt', 'cert'] as const;
const KEY_KEYS = ['tls.key', 'key'] as const;
const ROOTS_KEYS = ['ca.crt', 'cacert'] as const;

/** The keys that are read; others are not kept. */
export const CREDENTIAL_KEYS: readonly string[] = [...CHAIN_KEYS, ...KEY_KEYS, ...ROOTS_KEYS];

/**
 * Reads one part of a credential.
 *
 * @param texts undefined where there is no such secret
 * @param rootsTexts of the secret `<credentialName>-cacert`, which may have the root certificates
 */
export function parseCredential(
  part: CredentialPart,
  texts: CredentialTexts | undefined,
  rootsTexts: CredentialTexts | undefined,
): CredentialState {
  if (part === 'roots') return parseRoots(valueOf(texts, ROOTS_KEYS) ?? valueOf(rootsTexts, ROOTS_KEYS));
  if (texts === undefined) return unusable('it does not exist; create it in the namespace of the router');
  const [chain, privateKey] = [valueOf(texts, CHAIN_KEYS), valueOf(texts, KEY_KEYS)];
  if (chain === undefined || privateKey === undefined) {
    return unusable('it has no certificate with its key; set tls.crt and tls.key, or cert and key');
  }
  return parseCertificate(chain, privateKey);
}

function parseCertificate(chain: string, privateKey: string): CredentialState {
  const leaf = attempt(() => new X509Certificate(chain));
  if (leaf === undefined)
    return unusable('its certificate cannot be read; use PEM, the certificate of the server first');
  const key = attempt(() => createPrivateKey(privateKey));
  if (key === undefined) return unusable('its key cannot be read; use PEM, without a passphrase');
  if (attempt(() => leaf.checkPrivateKey(key)) !== true) {
    return unusable('its key does not belong to its certificate; put the certificate of the server first');
  }
  const expiresAtMs = Date.parse(leaf.validTo);
  return { type: 'certificate', chain, privateKey, expiresAtMs };
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function parseRoots(roots: string | undefined): CredentialState {
  if (roots === undefined) {
    return unusable(
      'it has no root certificates; set ca.crt or cacert in it, or in the secret with -cacert behind its name',
    );
  }
  const certificates = roots.match(CERTIFICATES) ?? [];
  const areRead = certificates.every((each) => attempt(() => new X509Certificate(each)) !== undefined);
  if (certificates.length === 0 || !areRead) return unusable('its root certificates cannot be read; use PEM');
  return { type: 'roots', roots };
}

function valueOf(texts: CredentialTexts | undefined, keys: readonly string[]): string | undefined {
  if (texts === undefined) return undefined;
  for (const key of keys) {
    const text = Object.hasOwn(texts, key) ? texts[key] : undefined;
    if (text !== undefined && text.trim() !== '') return text;
  }
  return undefined;
}

function attempt<Value>(run: () => Value): Value | undefined {
  try {
    return run();
  } catch {
    // The error could quote the secret.
    return undefined;
  }
}

function unusable(reason: string): CredentialState {
  return { type: 'unusable', reason };
}
