import { requiredLiteral } from '../../config/regex/required-literal.js';
import type { TypedNode } from '../check/typed-tree.js';
import type { NativeValue } from '../values/native-value.js';
import { nodeKey } from './node-key.js';

/** A value that can be looked up. */
export type KeyValue = string | bigint | number | boolean;

/** A value that an index can look up: a subject that equals, begins with, or contains one of the values, or is filled. */
export interface NeededValue {
  /** Reads an attribute or an entry of a map, perhaps with a default. Costs little, and spends nothing of the meter. */
  readonly subject: TypedNode;
  /** Equal for equal subjects. */
  readonly subjectKey: string;
  /** `isFilled`: the subject is a text that is not empty; such a need has no values. */
  readonly type: 'equals' | 'startsWith' | 'contains' | 'isFilled';
  readonly values: readonly KeyValue[];
  /** Whether the part of the expression is true for every request with such a value. */
  readonly isEnough: boolean;
}

/** What a part of an expression that is true needs: one of these values, of different subjects. Not empty. */
export type Need = readonly NeededValue[];

/** A part that needs one of more values of different subjects is not looked up. */
const MAX_ALTERNATIVES = 8;
/** `||` joins at most so many needs of one side with as many of the other. */
const MAX_WAYS = 8;
/** A part that needs one of more values is not looked up. */
const MAX_VALUES = 64;
/** Nearly every text contains a shorter one. */
const MIN_CONTAINED = 3;
/** Of a longer text, the beginning is looked up. */
const MAX_CONTAINED = 64;
const STAR = '*';
/** Types of which equal values are the same key of a Map. */
const KEY_TYPES: ReadonlySet<unknown> = new Set(['STRING', 'INT64', 'DOUBLE', 'BOOL', 'DURATION']);

/** The needs of a part. Any request that lacks one of them makes the part false, or a failure. */
export function needsOf(node: TypedNode): readonly Need[] {
  switch (node.kind) {
    case 'and':
      return [...needsOf(node.left), ...needsOf(node.right)].map((need) =>
        need.map((value) => ({ ...value, isEnough: false })),
      );
    case 'or':
      return eitherOf(needsOf(node.left), needsOf(node.right));
    case 'apply':
      return neededByFunction(node.name, node.parameters).map((value) => [value]);
    case 'matches':
      return node.pattern.kind === 'constant'
        ? contained(node.text, requiredLiteral(String(node.pattern.value)), false).map((value) => [value])
        : [];
    default:
      return [];
  }
}

/** A need of each side. Those on one subject come first: they are looked up at once. */
function eitherOf(left: readonly Need[], right: readonly Need[]): readonly Need[] {
  return left
    .slice(0, MAX_WAYS)
    .flatMap((one) => right.slice(0, MAX_WAYS).map((other) => joinedNeed(one, other)))
    .filter((need) => need.length <= MAX_ALTERNATIVES && need.every(({ values }) => values.length <= MAX_VALUES))
    .sort((a, b) => a.length - b.length)
    .slice(0, MAX_WAYS);
}

function joinedNeed(left: Need, right: Need): Need {
  const joined = [...left];
  for (const value of right) {
    const index = joined.findIndex(({ subjectKey, type }) => subjectKey === value.subjectKey && type === value.type);
    const same = joined[index];
    if (same === undefined) joined.push(value);
    else {
      const values = [...new Set([...same.values, ...value.values])];
      joined[index] = { ...same, values, isEnough: same.isEnough && value.isEnough };
    }
  }
  // One subject that cannot be read makes the part a failure in `legacy`, whatever the others are.
  return joined.length === 1 ? joined : joined.map((value) => ({ ...value, isEnough: false }));
}

function neededByFunction(name: string, parameters: readonly TypedNode[]): readonly NeededValue[] {
  const [first, second] = parameters;
  if (first === undefined || second === undefined || parameters.length > 2) return [];
  switch (name) {
    case '==': {
      const [subject, constant] = first.kind === 'constant' ? [second, first] : [first, second];
      return equalsOneOf(subject, [constant]);
    }
    case '!=':
      return isEmptyText(second) ? filled(first) : isEmptyText(first) ? filled(second) : [];
    case 'in':
      return second.kind === 'list' ? equalsOneOf(first, second.elements) : [];
    case 'startsWith':
      return second.kind === 'constant' ? needed(first, 'startsWith', [second.value]) : [];
    case 'match':
      return second.kind === 'constant' ? neededByGlob(first, String(second.value)) : [];
    case 'endsWith':
    case 'contains':
      return second.kind === 'constant' ? contained(first, String(second.value), name === 'contains') : [];
    default:
      return [];
  }
}

/** A star at the end of the pattern stands for any text; without one at the beginning either, the text is the pattern. */
function neededByGlob(subject: TypedNode, pattern: string): readonly NeededValue[] {
  if (pattern.endsWith(STAR)) return needed(subject, 'startsWith', [pattern.slice(0, -STAR.length)]);
  if (pattern.startsWith(STAR)) return contained(subject, pattern.slice(STAR.length), false);
  return needed(subject, 'equals', [pattern]);
}

function contained(subject: TypedNode, text: string, isEnough: boolean): readonly NeededValue[] {
  if (text.length < MIN_CONTAINED) return [];
  const part = text.slice(0, MAX_CONTAINED);
  return needed(subject, 'contains', [part]).map((each) => ({ ...each, isEnough: isEnough && part === text }));
}

function equalsOneOf(subject: TypedNode, constants: readonly TypedNode[]): readonly NeededValue[] {
  const values = constants.flatMap((each) =>
    each.kind === 'constant' && KEY_TYPES.has(each.type) ? [each.value] : [],
  );
  const isComplete = values.length === constants.length && values.length > 0 && values.length <= MAX_VALUES;
  return isComplete ? needed(subject, 'equals', values) : [];
}

/** Rules ask so whether a request has a header. */
function filled(subject: TypedNode): readonly NeededValue[] {
  return subject.type === 'STRING' ? needed(subject, 'isFilled', []) : [];
}

function isEmptyText(node: TypedNode): boolean {
  return node.kind === 'constant' && node.value === '';
}

function needed(subject: TypedNode, type: NeededValue['type'], values: readonly NativeValue[]): readonly NeededValue[] {
  if (!KEY_TYPES.has(subject.type) || !isRead(subject)) return [];
  // Constants of these types are such values.
  return [{ subject, subjectKey: nodeKey(subject), type, values: values as readonly KeyValue[], isEnough: true }];
}

/** Whether a part only reads attributes and entries of maps. */
function isRead(node: TypedNode): boolean {
  switch (node.kind) {
    case 'attribute':
      return true;
    case 'entry':
      return isRead(node.map) && isReadOrConstant(node.key);
    case 'first':
      return node.choices.every(isReadOrConstant);
    case 'apply':
      return node.name === 'toLower' && node.parameters.every(isRead);
    default:
      return false;
  }
}

function isReadOrConstant(node: TypedNode): boolean {
  return node.kind === 'constant' || isRead(node);
}
