import { escapeRegex } from '../../../base/escape-regex.js';
import type { PackedAny } from '../../../envoy/message-encoder.js';
import type { MatchTree, RequestCondition, RequestInput } from '../../../envoy/request-matcher.js';
import type { BucketKey, KeyPlace } from '../../../model/policy/fast/bucket-keys.js';
import type { BucketKind } from '../../../model/policy/fast/bucket-kinds.js';
import type { Conjunction, PartCondition, PrincipalCondition } from '../../../model/policy/fast/fast-conditions.js';
import { principalTest } from './principal-test.js';

/** The id of a bucket: fixed texts, and texts of the request. */
export type BucketId = Readonly<Record<string, string | RequestInput>>;

/**
 * Values of a key that proxies count by: printable ASCII of limited length. A request with another value counts as one
 * without a value. Bytes that are not UTF-8 would never get an assignment, and long values would fill memory.
 */
const KEY_TEXT = '[ -~]{1,256}';
/** The same without commas. */
const SINGLE_KEY_TEXT = '[ -+\\x2d-~]{1,256}';

/**
 * Leads each request to its bucket.
 *
 * @param idOf the fixed texts of the buckets of a kind
 */
export function buildBucketTree(
  kinds: readonly BucketKind[],
  idOf: (kind: BucketKind) => BucketId,
  actionOf: (kind: BucketKind, id: BucketId) => PackedAny,
): MatchTree | undefined {
  const treeOf = (kind: BucketKind): MatchTree => keyTree(kind.keys, idOf(kind), (id) => actionOf(kind, id));
  const branches = kinds
    .filter(({ conditions }) => conditions.length > 0)
    .map((kind) => ({ condition: conditionOf(kind), onMatch: treeOf(kind) }));
  const rest = kinds.find(({ conditions }) => conditions.length === 0);
  if (kinds.length === 0) return undefined;
  return { type: 'branches', branches, otherwise: rest && treeOf(rest) };
}

/** Adds the value of each key to the id, where the request has one. */
function keyTree(keys: readonly BucketKey[], id: BucketId, actionOf: (id: BucketId) => PackedAny): MatchTree {
  const [key, ...rest] = keys;
  if (key === undefined) return { type: 'action', action: actionOf(id) };
  if (key.type === 'constant') return keyTree(rest, { ...id, [key.dimension]: key.text }, actionOf);
  const branches: { readonly condition: RequestCondition; readonly onMatch: MatchTree }[] = [];
  for (const { part, takesCommas } of key.places) {
    const then = keyTree(rest, { ...id, [key.dimension]: part }, actionOf);
    // Every request has an address.
    if (part.type === 'sourceAddress') return then;
    branches.push({ condition: usableKey(part, takesCommas), onMatch: then });
  }
  return { type: 'branches', branches, otherwise: keyTree(rest, id, actionOf) };
}

function usableKey(input: KeyPlace['part'], takesCommas: boolean): RequestCondition {
  return { type: 'text', input, match: 'regex', text: takesCommas ? KEY_TEXT : SINGLE_KEY_TEXT };
}

function conditionOf({ conditions }: BucketKind): RequestCondition {
  return {
    type: 'all',
    conditions: conditions.map((alternatives) => ({ type: 'any', conditions: alternatives.map(allOf) })),
  };
}

function allOf(conjunction: Conjunction): RequestCondition {
  return { type: 'all', conditions: conjunction.map(testOf) };
}

function testOf(condition: PartCondition): RequestCondition {
  if (isAboutPrincipal(condition)) return { type: 'expression', expression: principalTest(condition) };
  const { part, match, text } = condition;
  if (part.type !== 'urlPath') return { type: 'text', input: part, match, text };
  const input = { type: 'header', name: ':path' } as const;
  if (match === 'prefix') return { type: 'text', input, match, text };
  return { type: 'text', input, match: 'regex', text: `${escapeRegex(text)}(?:[?#].*)?` };
}

function isAboutPrincipal(condition: PartCondition): condition is PrincipalCondition {
  return condition.part.type === 'sourcePrincipal';
}
