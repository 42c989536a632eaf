import type { Steps } from '../../base/steps.js';
import type { ResolvedPlan } from '../../config/plans/resolved-plan.js';

/** The consumer of each key, as `<namespace>/<name>`, by the hash of the key. */
export type KeyOwners = ReadonlyMap<string, string>;

/** A plan, with its keys by their hashes where the reader of the plan has made them. */
export interface IndexedPlan extends ResolvedPlan {
  readonly owners?: KeyOwners;
}

/** Keys of one step, which takes less than a millisecond. A plan can have 50,000. */
const KEYS_PER_STEP = 512;

/** Finds the owner of each key: the first consumer that has it. */
export function* indexKeys(consumers: ResolvedPlan['consumers']): Steps<KeyOwners> {
  const owners = new Map<string, string>();
  let left = KEYS_PER_STEP;
  for (const { name, keys } of consumers) {
    for (const key of keys) {
      if (!owners.has(key)) owners.set(key, name);
      if (--left > 0) continue;
      left = KEYS_PER_STEP;
      yield;
    }
  }
  return owners;
}
