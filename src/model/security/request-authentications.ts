import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { readKeySet } from '../../config/security/json-web-keys.js';
import { type KeySource, keySourceOf } from '../../config/security/key-source.js';
import type { JwtRule, RequestAuthenticationSpec } from '../../config/security/request-authentication.js';
import { memoize } from '../memo.js';
import type { Labels } from './namespace-mutual-tls.js';
import { selectedLabels } from './oldest-first.js';
import {
  createWorkloadPolicyIndexer,
  policyKeyOf,
  type WorkloadPolicy,
  type WorkloadPolicyIndex,
  type WorkloadPolicySource,
} from './workload-policies.js';

/**
 * The most that the rules of one workload may take, keys in the objects included. A workload beyond it rejects every
 * request: no rule may be left out, because a token that it refuses could pass.
 */
export const MAX_WORKLOAD_AUTHENTICATION_BYTES = 1024 * 1024;

/** Issuers publish two to five keys; a set of MAX_KEY_SET_BYTES is the exception. */
const FETCHED_KEY_BYTES = 8 * 1024;

/** A rule, with the keys that it has itself or the source of its keys. */
export interface AuthenticationRule {
  /** `<namespace>/<name>[<index>]` */
  readonly name: string;
  /** The object of the rule. */
  readonly of: { readonly namespace: string; readonly name: string };
  readonly rule: JwtRule;
  readonly keys:
    | { readonly type: 'inline'; readonly text: string }
    | { readonly type: 'fetched'; readonly source: KeySource };
}

/** The RequestAuthentications of one workload. The same object while they stay the same. */
export interface WorkloadAuthentication {
  /** Equal ones have equal keys. Empty without rules. */
  readonly key: string;
  /** Of all objects, sorted by object key. */
  readonly rules: readonly AuthenticationRule[];
  /** Ids of the sources of the rules' keys, each once. */
  readonly sources: readonly string[];
  readonly isTooLarge: boolean;
}

/** A source of keys, and the objects that name it. */
export interface KeySourceUse {
  readonly source: KeySource;
  readonly objects: readonly { readonly key: ObjectKey; readonly namespace: string }[];
}

/**
 * The RequestAuthentications of a snapshot, by workload: those of its namespace and of the root namespace that select it
 * (docs/reference/xds.md#request-authentication). The same object while no object changes.
 */
export interface RequestAuthentications {
  ofWorkload(namespace: string, labels: Labels): WorkloadAuthentication;
  /** All sources of keys by id, in the order of the objects that name them. */
  readonly keySources: ReadonlyMap<string, KeySourceUse>;
  /** Whether the rules would be too large for a workload of the namespace that all objects select. */
  canBeTooLarge(namespace: string): boolean;
}

/** Makes the index of each snapshot; to be called with successive ones. */
export type RequestAuthenticationIndexer = (source: WorkloadPolicySource) => RequestAuthentications;

interface Entry extends WorkloadPolicy {
  readonly object: ObjectKey;
  readonly rules: readonly AuthenticationRule[];
  readonly bytes: number;
}

type Index = WorkloadPolicyIndex<Entry, WorkloadAuthentication>;

export function createRequestAuthenticationIndexer(): RequestAuthenticationIndexer {
  const indexOf = createWorkloadPolicyIndexer<Entry, WorkloadAuthentication>({
    kind: 'RequestAuthentication',
    read: readEntry,
    none: { key: '', rules: [], sources: [], isTooLarge: false },
    combine: (entries, key) => {
      const rules = entries.flatMap((entry) => entry.rules);
      return {
        // Objects without rules change nothing at the workload.
        key: rules.length === 0 ? '' : key,
        rules,
        sources: [...new Set(rules.flatMap(sourceIdOf))],
        isTooLarge: areTooLarge(entries),
      };
    },
  });
  const policiesOf = memoize(
    (index: Index): RequestAuthentications => ({
      ofWorkload: index.ofWorkload,
      keySources: keySourcesOf(index.entries),
      canBeTooLarge: (namespace) => areTooLarge(index.candidatesOf(namespace)),
    }),
  );
  return (source) => policiesOf(indexOf(source));
}

function readEntry(object: MeshObject): Entry {
  const spec = object.body as RequestAuthenticationSpec;
  const { name, namespace } = object.metadata;
  const rules = (spec.jwtRules ?? []).map((rule, index) => ({
    name: `${namespace}/${name}[${index}]`,
    of: { namespace, name },
    rule,
    keys: keysOf(rule),
  }));
  return {
    namespace,
    object: keyOf(object),
    key: policyKeyOf(object),
    labels: selectedLabels(spec),
    rules,
    bytes: rules.reduce((sum, each) => sum + bytesOf(each), 0),
  };
}

/** Of the rule, with the usual size of keys that are fetched. */
function bytesOf({ rule, keys }: AuthenticationRule): number {
  return Buffer.byteLength(JSON.stringify(rule)) + (keys.type === 'fetched' ? FETCHED_KEY_BYTES : 0);
}

function areTooLarge(entries: readonly Entry[]): boolean {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_WORKLOAD_AUTHENTICATION_BYTES;
}

function keysOf(rule: JwtRule): AuthenticationRule['keys'] {
  const source = keySourceOf(rule);
  if (source !== undefined) return { type: 'fetched', source };
  const reading = readKeySet(rule.jwks ?? '', true);
  return { type: 'inline', text: reading.type === 'keys' ? reading.text : '' };
}

function sourceIdOf({ keys }: AuthenticationRule): readonly string[] {
  return keys.type === 'fetched' ? [keys.source.id] : [];
}

function keySourcesOf(entries: readonly Entry[]): ReadonlyMap<string, KeySourceUse> {
  const uses = new Map<string, { source: KeySource; objects: { key: ObjectKey; namespace: string }[] }>();
  for (const { object, namespace, rules } of entries) {
    for (const { keys } of rules) {
      if (keys.type !== 'fetched') continue;
      const { source } = keys;
      const use = uses.get(source.id) ?? { source, objects: [] };
      if (use.objects.at(-1)?.key !== object) use.objects.push({ key: object, namespace });
      uses.set(source.id, use);
    }
  }
  return uses;
}
