import { hash } from 'node:crypto';
import type { ApiKeySecret } from '../../model/policy/plans/api-key-secrets.js';

/** The texts of a Secret, by entry. */
export type SecretTexts = ReadonlyMap<string, string>;

/** Keys of one Secret. */
const MAX_KEYS = 1000;
/** Policy servers hash no longer ones. */
const MAX_KEY_LENGTH = 4096;
const WRITTEN_DIGEST = /^sha256:([0-9a-f]{64})$/i;

/**
 * Hashes the keys of a Secret: one on each line of each entry, without spaces around it; `sha256:` and a hash in
 * hexadecimal also is one. Empty lines and lines that begin with `#` are none.
 */
export function readApiKeys(texts: SecretTexts): ApiKeySecret {
  const entries = new Map<string, readonly string[]>();
  let keys = 0;
  for (const [entry, text] of texts) {
    const hashes: string[] = [];
    for (const line of text.split('\n')) {
      const key = line.trim();
      if (key === '' || key.startsWith('#')) continue;
      if (key.length > MAX_KEY_LENGTH) {
        return unusable(
          `its entry ${entry} has a line of more than ${MAX_KEY_LENGTH} characters`,
          'write a key on each line',
        );
      }
      if (++keys > MAX_KEYS) return unusable(`it has more than ${MAX_KEYS} keys`, 'use several Secrets');
      hashes.push(WRITTEN_DIGEST.exec(key)?.[1]?.toLowerCase() ?? hash('sha256', key, 'hex'));
    }
    entries.set(entry, hashes);
  }
  return { type: 'keys', entries };
}

export function unusable(reason: string, remedy?: string): ApiKeySecret {
  return { type: 'unusable', reason, ...(remedy !== undefined && { remedy }) };
}
