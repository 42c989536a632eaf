import { isDeepStrictEqual } from 'node:util';
import {
  type ApiKeySecret,
  type ApiKeySecrets,
  apiKeySecretName,
  NO_API_KEY_SECRETS,
} from '../../model/policy/plans/api-key-secrets.js';
import type { NeededSecrets } from '../../model/policy/plans/consumer-secrets.js';

/** Follows the Secrets with API keys. */
export interface ApiKeySource {
  /** Reads these Secrets from now on, and forgets all others. */
  follow(needed: NeededSecrets): void;
  /** Settles when each Secret of the last `follow` was looked for, or after a time in milliseconds. */
  readAll(withinMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** @param changed names of the Secrets whose keys differ from those before */
export type OnApiKeys = (secrets: ApiKeySecrets, changed: ReadonlySet<string>) => void;

/** The states of the followed Secrets. */
export interface ApiKeyTable {
  /** Forgets the Secrets of a namespace that are not needed. */
  keepOnly(needed: NeededSecrets): void;
  /** Takes what was found in a namespace, and tells what has changed. Secrets that are missing have a state too. */
  set(namespace: string, states: ReadonlyMap<string, ApiKeySecret>): void;
  /** Whether the table has a state of each. */
  hasAll(needed: NeededSecrets): boolean;
}

export function createApiKeyTable(onKeys: OnApiKeys): ApiKeyTable {
  let secrets = NO_API_KEY_SECRETS;
  const change = (next: Map<string, ApiKeySecret>, changed: ReadonlySet<string>): void => {
    secrets = next;
    if (changed.size > 0) onKeys(secrets, changed);
  };
  return {
    keepOnly: (needed) => {
      const kept = new Set([...needed].flatMap(([namespace, names]) => namesIn(namespace, names)));
      const gone = [...secrets.keys()].filter((name) => !kept.has(name));
      // No Consumer names them, so nothing has changed for the others.
      if (gone.length > 0) secrets = new Map([...secrets].filter(([name]) => kept.has(name)));
    },
    set: (namespace, states) => {
      const next = new Map(secrets);
      const changed = new Set<string>();
      for (const [name, state] of states) {
        const full = apiKeySecretName(namespace, name);
        if (isDeepStrictEqual(next.get(full), state)) continue;
        next.set(full, state);
        changed.add(full);
      }
      change(next, changed);
    },
    hasAll: (needed) =>
      [...needed].every(([namespace, names]) => namesIn(namespace, names).every((name) => secrets.has(name))),
  };
}

function namesIn(namespace: string, names: ReadonlySet<string>): readonly string[] {
  return [...names].map((name) => apiKeySecretName(namespace, name));
}
