import { requiredLiteral } from '../../config/regex/required-literal.js';
import type { TypedNode } from '../check/typed-tree.js';
import type { NativeValue } from '../values/native-value.js';
import { nodeKey } from './node-key.js';

/** A value that can be looked up. */
export type KeyValue = string | bigint | number | boolean;

/** A need of a part of an expression that is true: its subject equals, begins with, or contains one of the values, or is filled. */
export interface NeededValue {
  /** Reads an attribute or an entry of a map, perhaps with a default. Costs little, and spends nothing of the meter. */
  readonly subject: TypedNode;
  /** Equal for equal subjects. */
  readonly subjectKey: string;
  /** `isFilled`: the subject is a text that is not empty; such a need has no values. */
  readonly type: 'equals' | 'startsWith' | 'contains' | 'isFilled';
  readonly values: readonly KeyValue[];
  /** Whether the part is true for every request with such a value. */
  readonly isEnough: boolean;
}

/** A part that needs one of more values is not looked up. */
const MAX_VALUES = 64;
/** Nearly every text contains a shorter one. */
const MIN_CONTAINED = 3;
/** Of a longer text, the beginning is looked up. */
const MAX_CONTAINED = 64;
const STAR = '*';
/** Types of which equal values are the same key of a Map. */
const KEY_TYPES: ReadonlySet<unknown> = new Set(['STRING', 'INT64', 'DOUBLE', 'BOOL', 'DURATION']);

/** The values that a part needs. Any request without them makes it false, or a failure. */
export function neededValues(node: TypedNode): readonly NeededValue[] {
  switch (node.kind) {
    case 'and':
      return [...neededValues(node.left), ...neededValues(node.right)].map((needed) => ({
        ...needed,
        isEnough: false,
      }));
    case 'or':
      return eitherOf(neededValues(node.left), neededValues(node.right));
    case 'apply':
      return neededByFunction(node.name, node.parameters);
    case 'matches':
      return node.pattern.kind === 'constant'
        ? contained(node.text, requiredLiteral(String(node.pattern.value)), false)
        : [];
    default:
      return [];
  }
}

/** Conditions of both sides on one subject. */
function eitherOf(left: readonly NeededValue[], right: readonly NeededValue[]): readonly NeededValue[] {
  return left.flatMap((one) => {
    // A text that contains both would be found twice.
    if (one.type === 'contains') return [];
    const other = right.find(({ subjectKey, type }) => subjectKey === one.subjectKey && type === one.type);
    if (other === undefined) return [];
    const values = [...new Set([...one.values, ...other.values])];
    return values.length > MAX_VALUES ? [] : [{ ...one, values, isEnough: one.isEnough && other.isEnough }];
  });
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
