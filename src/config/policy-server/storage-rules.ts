import { type DurationRules, validateDuration } from '../duration-rules.js';
import type { Violation } from '../violation.js';
import { POLICY_SERVER_LIMITS, type StorageFile } from './policy-server-schema.js';
import { parseRedisAddress } from './redis-address.js';

const REDIS_FIELDS = ['address', 'passwordFile', 'caFile', 'keyPrefix', 'timeout'] as const;

const LONGEST_TIMEOUT: DurationRules = {
  longest: {
    milliseconds: POLICY_SERVER_LIMITS.storageTimeoutMs,
    message: 'is longer than proxies wait for a decision',
    remedy: 'use 5s or less',
  },
};

/** Rules of the storage that its schema cannot express. Violations do not show the address, because it may contain a password. */
export function* validateStorage(storage: StorageFile): Generator<Violation> {
  if (storage.type === 'memory') {
    for (const field of REDIS_FIELDS) {
      if (storage[field] === undefined) continue;
      const remedy = 'set storage.type to redis, or remove it';
      yield { path: `storage.${field}`, message: 'is for a storage of type redis', remedy };
    }
    return;
  }
  if (storage.maxCounters !== undefined) {
    const remedy = 'remove it: counters in Redis expire';
    yield { path: 'storage.maxCounters', message: 'is for a storage of type memory', remedy };
  }
  yield* validateAddress(storage);
  yield* validateDuration('storage.timeout', storage.timeout, LONGEST_TIMEOUT);
}

function* validateAddress({ address, passwordFile, caFile }: StorageFile): Generator<Violation> {
  const path = 'storage.address';
  const remedy = 'use redis://host:6379/0, or rediss:// for TLS';
  if (address === undefined) {
    yield { path, message: 'is missing', remedy };
    return;
  }
  const parsed = parseRedisAddress(address);
  if (parsed === undefined) {
    yield { path, message: 'is not the address of a Redis server', remedy };
    return;
  }
  if (parsed.password !== undefined && passwordFile !== undefined) {
    yield { path, message: 'contains a password, and passwordFile is set too', remedy: 'remove one of them' };
  }
  if (caFile !== undefined && !parsed.isTls) {
    yield { path: 'storage.caFile', message: 'has no effect without TLS', remedy: 'use a rediss:// address' };
  }
}
