import { isDeepStrictEqual } from 'node:util';
import type { QuotaStorage } from './policy-server-config.js';

/** Whether both say that quotas are counted in the same place, in the same way, with the same password. */
export function isSameStorage(one: QuotaStorage, other: QuotaStorage): boolean {
  return isDeepStrictEqual(withPassword(one), withPassword(other));
}

/** Two functions that tell the same password are not equal; what they tell is. */
function withPassword(storage: QuotaStorage): object {
  if (storage.type === 'memory') return storage;
  return { ...storage, address: { ...storage.address, password: storage.address.password?.() } };
}
