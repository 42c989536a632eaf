import type { AttributeValue } from '../attribute-value.js';
import type { AttributeNode, EntryNode, TypedNode } from '../check/typed-tree.js';
import type { ValueType } from '../expression-types.js';
import { Failure } from '../values/failure.js';
import type { ScalarValue } from '../values/native-value.js';
import { type EvaluateNode, MISSING } from './evaluate-node.js';

/** How attributes transport values of each type. */
export const TRANSPORT_TYPES: Readonly<Record<ValueType, AttributeValue['type']>> = {
  STRING: 'string',
  INT64: 'int64',
  DOUBLE: 'double',
  BOOL: 'bool',
  TIMESTAMP: 'timestamp',
  IP_ADDRESS: 'bytes',
  EMAIL_ADDRESS: 'string',
  URI: 'string',
  DNS_NAME: 'string',
  DURATION: 'duration',
  STRING_MAP: 'stringMap',
};

/** With CEL, an absent attribute has the default of its type, as the field of a message has. */
const DEFAULTS: Readonly<Record<ValueType, ScalarValue>> = {
  STRING: '',
  INT64: 0n,
  DOUBLE: 0,
  BOOL: false,
  TIMESTAMP: 0n,
  IP_ADDRESS: new Uint8Array(),
  EMAIL_ADDRESS: '',
  URI: '',
  DNS_NAME: '',
  DURATION: 0n,
  STRING_MAP: new Map(),
};

/**
 * What the absence of an attribute or entry means: a failure, the default of the type, or that the next choice of `|` counts
 * (`MISSING`).
 */
export type Absence = 'fails' | 'default' | 'missing';

export function compileAttribute({ name, type }: AttributeNode, absence: Absence): EvaluateNode {
  const transport = TRANSPORT_TYPES[type];
  const absent = absentResult(name, type, absence);
  return (bag) => {
    const found = bag.get(name);
    if (found === undefined) return absent;
    if (found.type === transport) return found.value;
    return wrongType(name, type, found);
  };
}

export function wrongType(name: string, declared: ValueType, found: AttributeValue): Failure {
  return new Failure(`${name} is a ${found.type} in this request, but was declared as ${declared}`);
}

export function absentResult(name: string, type: ValueType, absence: Absence): ScalarValue | Failure {
  switch (absence) {
    case 'fails':
      return new Failure(`the request has no ${name}: write a default, ${name} | …`, 'absent');
    case 'default':
      return DEFAULTS[type];
    case 'missing':
      return MISSING;
  }
}

/**
 * The value of a key. In `legacy`, a missing key has an empty value; CEL fails.
 *
 * @param onMissingKey `''`, a failure, or `MISSING`; undefined: a failure with the key
 */
export function compileEntry(
  map: EvaluateNode,
  key: EvaluateNode,
  onMissingKey: '' | Failure | undefined,
): EvaluateNode {
  return (bag, frame) => {
    const entries = map(bag, frame);
    if (entries instanceof Failure) return entries;
    const name = key(bag, frame);
    if (name instanceof Failure) return name;
    const value = (entries as ReadonlyMap<string, string>).get(name as string);
    return value ?? onMissingKey ?? new Failure(`there is no key ${JSON.stringify(name)}`, 'absent');
  };
}

/** The value of a key that is written as a literal, as most are. */
export function compileNamedEntry(map: EvaluateNode, name: string, missing: '' | Failure | undefined): EvaluateNode {
  const ifMissing = missing ?? new Failure(`there is no key ${JSON.stringify(name)}`, 'absent');
  return (bag, frame) => {
    const entries = map(bag, frame);
    return entries instanceof Failure ? entries : ((entries as ReadonlyMap<string, string>).get(name) ?? ifMissing);
  };
}

/** Whether the request has an attribute or entry. */
export function compilePresence(
  of: AttributeNode | EntryNode,
  compile: (node: TypedNode) => EvaluateNode,
): EvaluateNode {
  if (of.kind === 'attribute') return (bag) => bag.get(of.name) !== undefined;
  const [map, key] = [compile(of.map), compile(of.key)];
  return (bag, frame) => {
    const entries = map(bag, frame);
    if (entries instanceof Failure) return entries;
    const name = key(bag, frame);
    return name instanceof Failure ? name : (entries as ReadonlyMap<string, string>).has(name as string);
  };
}
