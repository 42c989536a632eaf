import { partsOfTree } from '../check/typed-parts.js';
import type { TypedNode } from '../check/typed-tree.js';
import { type CompileContext, compileNode } from '../compile/compile-node.js';
import type { EvaluateNode, Frame } from '../compile/evaluate-node.js';
import { LazyFrame } from '../compile/lazy-frame.js';
import type { AttributeReader } from '../expression-types.js';
import { Failure } from '../values/failure.js';
import { nodeKey } from './node-key.js';
import { type KeyValue, type NeededValue, needsOf } from './value-condition.js';

/** One of the parts of an expression that `&&` joins. The expression is true exactly when all of them are. */
export interface Conjunct {
  /** Conjuncts of one language with the same key have the same result for a request. */
  readonly key: string;
  /** Whether it spends of the meter: regular expressions and macros do. */
  readonly isMetered: boolean;
  /** In a request that meets no condition of one of these it is not true. */
  readonly needs: readonly (readonly ValueCondition[])[];
  /** Whether it is true. A part that cannot be evaluated is not true. Never throws. @param frame of the request */
  matches(bag: AttributeReader, frame: Frame): boolean;
}

/** A condition that an index can look up. */
export interface ValueCondition extends Pick<NeededValue, 'subjectKey' | 'type' | 'values' | 'isEnough'> {
  /** The value to look up; undefined for a request for which the condition is not met. */
  read(bag: AttributeReader): KeyValue | undefined;
  /** The entry of a map that `read` reads; undefined for other subjects. */
  readonly entry: MapEntry | undefined;
}

/** An entry of a map, by a name that is written as a literal: `request.headers["accept"]`. */
export interface MapEntry {
  /** Equal for equal maps. */
  readonly mapKey: string;
  readonly name: string;
  /** Undefined for a request without the map. */
  readMap(bag: AttributeReader): ReadonlyMap<string, string> | undefined;
}

/** Reads of attributes use no part of it. */
const NO_METER = new LazyFrame(undefined);

/** Splits a checked expression. */
export function conjunctsOf(tree: TypedNode, context: CompileContext): Conjunct[] {
  if (tree.kind === 'and') {
    return [...conjunctsOf(tree.left, context), ...conjunctsOf(tree.right, context)];
  }
  const node = compileNode(tree, context);
  return [
    {
      key: nodeKey(tree),
      isMetered: isMetered(tree),
      needs: needsOf(tree).map((need) => need.map((value) => conditionOf(value, context))),
      matches: (bag, frame) => node(bag, frame) === true,
    },
  ];
}

/** The conjunct `attribute == "text"`, for a limit that is no part of an expression. */
export function attributeEquals(attribute: string, text: string): Conjunct {
  const read: ValueCondition['read'] = (bag) => {
    const found = bag.get(attribute);
    return found?.type === 'string' ? found.value : undefined;
  };
  // Other than that of an expression, whose language may have a default for an absent attribute.
  const subjectKey = `limit ${attribute}`;
  return {
    key: `${subjectKey} ${JSON.stringify(text)}`,
    isMetered: false,
    needs: [[{ subjectKey, type: 'equals', values: [text], isEnough: true, read, entry: undefined }]],
    matches: (bag) => read(bag) === text,
  };
}

function isMetered(node: TypedNode): boolean {
  for (const { kind } of partsOfTree(node)) if (kind === 'matches' || kind === 'macro') return true;
  return false;
}

function conditionOf({ subject, ...value }: NeededValue, context: CompileContext): ValueCondition {
  return {
    ...value,
    read: readerOf<KeyValue>(compileNode(subject, context)),
    entry: entryOf(subject, context),
  };
}

function entryOf(subject: TypedNode, context: CompileContext): MapEntry | undefined {
  if (subject.kind !== 'entry' || subject.key.kind !== 'constant') return undefined;
  const readMap = readerOf<ReadonlyMap<string, string>>(compileNode(subject.map, context));
  return { mapKey: nodeKey(subject.map), name: String(subject.key.value), readMap };
}

function readerOf<Value>(node: EvaluateNode): (bag: AttributeReader) => Value | undefined {
  return (bag) => {
    const value = node(bag, NO_METER);
    return value instanceof Failure ? undefined : (value as Value);
  };
}
