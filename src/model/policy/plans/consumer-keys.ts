import type { ConsumerSpec } from '../../../config/plans/consumer.js';
import { createMemo } from '../../memo.js';
import { type ApiKeySecret, type ApiKeySecrets, apiKeySecretOf } from './api-key-secrets.js';

/** A Secret of a Consumer that gives no key. */
export interface KeyProblem {
  /** Path in the Consumer. */
  readonly field: string;
  /** Without the remedy. */
  readonly text: string;
  /** Missing where that of MESH0292 is enough. */
  readonly remedy?: string;
}

/** The keys of a Consumer, as hashes. */
export interface ConsumerKeys {
  /** Each once. */
  readonly keys: readonly string[];
  /** Whether a Secret is not read yet, so that there can be more keys. */
  readonly isLoading: boolean;
  readonly problems: readonly KeyProblem[];
}

const read = createMemo<ConsumerKeys>();

/** The keys that a Consumer lists, and those in its Secrets. Equal for as long as both stay the same. */
export function consumerKeysOf(spec: ConsumerSpec, namespace: string, secrets: ApiKeySecrets): ConsumerKeys {
  return read.of([spec, secrets], namespace, () => readKeys(spec, namespace, secrets));
}

function readKeys({ keys }: ConsumerSpec, namespace: string, secrets: ApiKeySecrets): ConsumerKeys {
  const found = new Set<string>();
  const problems: KeyProblem[] = [];
  let isLoading = false;
  for (const [index, { sha256, secretRef }] of keys.entries()) {
    if (sha256 !== undefined) found.add(sha256);
    if (secretRef === undefined) continue;
    const secret = apiKeySecretOf(secrets, namespace, secretRef.name);
    if (secret.type === 'loading') {
      isLoading = true;
      continue;
    }
    const text = problemOf(secret, secretRef.name, secretRef.key);
    const { remedy } = secret.type === 'unusable' ? secret : {};
    if (text !== undefined) {
      problems.push({ field: `spec.keys[${index}].secretRef`, text, ...(remedy !== undefined && { remedy }) });
    }
    if (secret.type === 'unusable') continue;
    const entries = secretRef.key === undefined ? secret.entries.values() : [secret.entries.get(secretRef.key) ?? []];
    for (const entry of entries) for (const key of entry) found.add(key);
  }
  return { keys: [...found], isLoading, problems };
}

function problemOf(
  secret: Exclude<ApiKeySecret, { readonly type: 'loading' }>,
  name: string,
  entry: string | undefined,
): string | undefined {
  if (secret.type === 'unusable') return `the Secret ${name} gives no keys: ${secret.reason}`;
  if (entry === undefined) {
    const isEmpty = [...secret.entries.values()].every((keys) => keys.length === 0);
    return isEmpty ? `the Secret ${name} has no key` : undefined;
  }
  const keys = secret.entries.get(entry);
  if (keys === undefined) return `the Secret ${name} has no entry ${entry}`;
  return keys.length === 0 ? `the entry ${entry} of the Secret ${name} has no key` : undefined;
}
