import type { Macro } from '../check/typed-tree.js';
import { Failure, type Outcome } from '../values/failure.js';
import type { NativeValue } from '../values/native-value.js';
import type { EvaluateNode } from './evaluate-node.js';

/** Work of one part of a macro for one element; 4,000,000 units are the limit of one evaluation. */
const PART_WORK = 256;

export function compileList(elements: readonly EvaluateNode[]): EvaluateNode {
  return (bag, frame) => {
    const list: NativeValue[] = [];
    for (const element of elements) {
      const value = element(bag, frame);
      if (value instanceof Failure) return value;
      list.push(value);
    }
    return list;
  };
}

export function compileMap(entries: readonly (readonly [EvaluateNode, EvaluateNode])[]): EvaluateNode {
  return (bag, frame) => {
    const map = new Map<string, string>();
    for (const [keyOf, valueOf] of entries) {
      const key = keyOf(bag, frame);
      if (key instanceof Failure) return key;
      const value = valueOf(bag, frame);
      if (value instanceof Failure) return value;
      if (map.has(key as string)) return new Failure(`the map has the key ${JSON.stringify(key)} twice`);
      map.set(key as string, value as string);
    }
    return map;
  };
}

export function compileElement(list: EvaluateNode, index: EvaluateNode): EvaluateNode {
  return (bag, frame) => {
    const elements = list(bag, frame);
    if (elements instanceof Failure) return elements;
    const at = index(bag, frame);
    if (at instanceof Failure) return at;
    const found = (elements as readonly NativeValue[])[Number(at)];
    return (
      found ??
      new Failure(
        `the index ${at} is outside of the list, which has ${(elements as readonly NativeValue[]).length} elements`,
      )
    );
  };
}

/** A macro, apart from its range. */
export interface MacroBody {
  readonly macro: Macro;
  readonly slot: number;
  readonly predicate: EvaluateNode | undefined;
  readonly transform: EvaluateNode | undefined;
  readonly nodes: number;
}

/** Evaluates the body for each element of a list, or each key of a map. */
export function compileMacro(range: EvaluateNode, body: MacroBody): EvaluateNode {
  const { macro, slot, predicate, transform, nodes } = body;
  const finish = macro === 'filter' || macro === 'map' ? undefined : foldBooleans(macro);
  return (bag, frame) => {
    const value = range(bag, frame);
    if (value instanceof Failure) return value;
    const elements = Array.isArray(value)
      ? (value as readonly NativeValue[])
      : [...(value as ReadonlyMap<string, string>).keys()];
    if (!frame.meter.spend(elements.length * nodes * PART_WORK)) {
      return new Failure(`${macro} of ${elements.length} elements takes too long`);
    }
    const results = { kept: [] as NativeValue[], booleans: [] as Outcome[] };
    for (const element of elements) {
      frame.slots[slot] = element;
      const isKept = predicate === undefined || predicate(bag, frame);
      if (finish !== undefined) {
        results.booleans.push(isKept);
        continue;
      }
      if (isKept instanceof Failure) return isKept;
      if (isKept === false) continue;
      const made = transform === undefined ? element : transform(bag, frame);
      if (made instanceof Failure) return made;
      results.kept.push(made);
    }
    return finish === undefined ? results.kept : finish(results.booleans);
  };
}

/** `all` and `exists` are `&&` and `||` of all elements; `exists_one` fails if an element fails. */
function foldBooleans(macro: 'all' | 'exists' | 'exists_one'): (results: readonly Outcome[]) => Outcome {
  const firstFailure = (results: readonly Outcome[]): Failure | undefined =>
    results.find((result) => result instanceof Failure);
  switch (macro) {
    case 'all':
      return (results) => (results.includes(false) ? false : (firstFailure(results) ?? true));
    case 'exists':
      return (results) => (results.includes(true) ? true : (firstFailure(results) ?? false));
    case 'exists_one':
      return (results) => firstFailure(results) ?? results.filter((result) => result === true).length === 1;
  }
}
