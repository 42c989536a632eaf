import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../../base/clock.js';
import { isRecord } from '../../../base/record.js';
import { discoverJwksUri, parseJson } from '../../../jwks/discover-jwks-uri.js';
import type { FetchDocument } from '../../../net/egress/guarded-fetch.js';

/** The keys with which an issuer signs tokens (OpenID Connect Discovery 1.0). */
export interface SigningKeys {
  /**
   * The stored keys, or newer ones.
   *
   * @param notIn a set that lacks the needed key: the keys are fetched again, unless they were fetched a moment ago
   * @throws Error when there are no keys, or only keys that are too old
   */
  current(notIn?: KeySet): Promise<KeySet>;
}

export interface KeySet {
  readonly getKey: JWTVerifyGetKey;
  readonly fetchedAtMs: number;
}

export interface SigningKeysOptions {
  readonly issuer: string;
  readonly fetchDocument: FetchDocument;
  readonly clock: Clock;
  fetched(outcome: 'success' | 'failure'): void;
}

const REFRESH_MS = 5 * 60_000;
/** Keys that could not be refreshed for this time are no longer trusted. */
const MAX_AGE_MS = 60 * 60_000;
/** Shortest time between two fetches, however many tokens arrive. */
const PAUSE_MS = 10_000;
const MAX_KEYS = 256;

export function createSigningKeys({ issuer, fetchDocument, clock, fetched }: SigningKeysOptions): SigningKeys {
  let keys: KeySet | undefined;
  let fetching: Promise<void> | undefined;
  let lastError: unknown;
  let nextAttemptMs = 0;

  const load = async (): Promise<void> => {
    try {
      const set = await fetchKeys(issuer, fetchDocument);
      keys = { getKey: createLocalJWKSet(set), fetchedAtMs: clock.monotonicMs() };
      lastError = undefined;
      fetched('success');
    } catch (error) {
      lastError = error;
      fetched('failure');
    } finally {
      nextAttemptMs = clock.monotonicMs() + PAUSE_MS;
      fetching = undefined;
    }
  };
  const refresh = (): Promise<void> => {
    if (fetching === undefined && clock.monotonicMs() < nextAttemptMs) return Promise.resolve();
    fetching ??= load();
    return fetching;
  };

  return {
    current: async (notIn) => {
      const ageMs = keys === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() - keys.fetchedAtMs;
      // While the stored keys are good, callers do not wait for the refresh.
      if (ageMs > MAX_AGE_MS || (notIn !== undefined && notIn === keys)) await refresh();
      else if (ageMs > REFRESH_MS) void refresh();
      if (keys === undefined || clock.monotonicMs() - keys.fetchedAtMs > MAX_AGE_MS) {
        throw new Error(`the keys of the token issuer ${issuer} could not be fetched`, { cause: lastError });
      }
      return keys;
    },
  };
}

async function fetchKeys(issuer: string, fetchDocument: FetchDocument): Promise<JSONWebKeySet> {
  const set = parseJson(await fetchDocument(await discoverJwksUri(issuer, fetchDocument)));
  const keys = isRecord(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys) || !keys.every(isRecord)) throw new Error('the document at jwks_uri is not a set of keys');
  if (keys.length > MAX_KEYS) throw new Error(`the issuer has ${keys.length} keys, at most ${MAX_KEYS} are taken`);
  return { keys: keys.map((key) => ({ ...key, kty: String(key['kty']) })) };
}
