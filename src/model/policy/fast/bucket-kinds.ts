import type { BucketKey } from './bucket-keys.js';
import { areDisjoint, type Conjunction } from './fast-conditions.js';
import type { FastRule } from './fast-rules.js';

/**
 * Requests that meet the same rules, and so are charged alike. A proxy has one bucket for each value of the keys. The
 * token of a bucket is a request: it stands for all of the charges, so that a request is charged for all quotas or for
 * none.
 */
export interface BucketKind {
  /** For each rule its alternatives, one of which must hold. Empty: the rest of all requests. */
  readonly conditions: readonly (readonly Conjunction[])[];
  /** By quota. */
  readonly charges: ReadonlyMap<string, number>;
  /** Sorted by dimension. */
  readonly keys: readonly BucketKey[];
}

/** Kinds of one service, counting each place in which a key may be found. Every request is compared with them in turn. */
export const MAX_BUCKET_KINDS = 64;

/**
 * The kinds of a service's requests. The first kind whose conditions a request meets is its own: kinds of more rules come
 * first. Undefined for more than `MAX_BUCKET_KINDS`.
 */
export function bucketKindsOf(rules: readonly FastRule[]): readonly BucketKind[] | undefined {
  const always = rules.filter(isUnconditional);
  const conditional = rules.filter((rule) => !isUnconditional(rule));
  const sets: (readonly FastRule[])[] = [[]];
  for (const rule of conditional) {
    for (const set of [...sets]) {
      if (set.every((other) => !excludeEachOther(rule, other))) sets.push([...set, rule]);
      if (sets.length > MAX_BUCKET_KINDS + 1) return undefined;
    }
  }
  const kinds = sets
    .sort((first, second) => second.length - first.length)
    .map((set) => kindOf(set, always))
    .filter(({ charges }) => charges.size > 0);
  return kinds.reduce((sum, { keys }) => sum + leavesOf(keys), 0) > MAX_BUCKET_KINDS ? undefined : kinds;
}

function isUnconditional({ alternatives }: FastRule): boolean {
  return alternatives.some((conjunction) => conjunction.length === 0);
}

function excludeEachOther(first: FastRule, second: FastRule): boolean {
  return first.alternatives.every((one) => second.alternatives.every((other) => areDisjoint(one, other)));
}

function kindOf(set: readonly FastRule[], always: readonly FastRule[]): BucketKind {
  const rules = [...always, ...set];
  const charges = new Map<string, number>();
  const keys = new Map<string, BucketKey>();
  for (const rule of rules) {
    for (const [quota, amount] of rule.charges) charges.set(quota, (charges.get(quota) ?? 0) + amount);
    for (const key of rule.keys) keys.set(key.dimension, key);
  }
  return {
    conditions: set.map(({ alternatives }) => alternatives),
    charges: new Map([...charges].sort(byText)),
    keys: [...keys].sort(byText).map(([, key]) => key),
  };
}

/** A request may have the value in each of the places, or in none. */
function leavesOf(keys: readonly BucketKey[]): number {
  return keys.reduce((product, key) => product * (key.type === 'found' ? key.places.length + 1 : 1), 1);
}

function byText([first]: readonly [string, unknown], [second]: readonly [string, unknown]): number {
  return first < second ? -1 : 1;
}
