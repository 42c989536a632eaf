import { appendTo } from '../../../base/append-to.js';
import type { ValueCondition } from '../../../expressions/conditions/conjunct.js';
import type { KeyValue } from '../../../expressions/conditions/value-condition.js';
import { PrefixIndex } from '../../client/prefix-index.js';
import { SubstringIndex } from './substring-index.js';

/** Takes rules that a request may match. */
export type Found<Item> = (items: readonly Item[]) => void;

/** The rules that need a value of one subject, while they are collected. */
export class ValueTableBuilder<Item> {
  readonly #byValue = new Map<KeyValue, Item[]>();
  readonly #byPrefix = new Map<string, Item[]>();
  readonly #byPart = new Map<string, Item[]>();
  readonly #filled: Item[] = [];

  add({ type, values }: Pick<ValueCondition, 'type' | 'values'>, item: Item): void {
    switch (type) {
      case 'equals':
        for (const value of new Set(values)) appendTo(this.#byValue, value, item);
        return;
      case 'startsWith':
        for (const prefix of shortest(values)) appendTo(this.#byPrefix, prefix, item);
        return;
      case 'contains':
        for (const part of values) appendTo(this.#byPart, String(part), item);
        return;
      case 'isFilled':
        this.#filled.push(item);
    }
  }

  build(): ValueTable<Item> {
    return new ValueTable(
      this.#byValue,
      this.#byPrefix.size === 0 ? undefined : new PrefixIndex<readonly Item[]>(this.#byPrefix),
      this.#byPart.size === 0 ? undefined : new SubstringIndex<readonly Item[]>(this.#byPart),
      this.#filled,
      this.#byValue.has('') || this.#byPrefix.has(''),
    );
  }
}

/** The rules that need a value of one subject. Never changes. */
export class ValueTable<Item> {
  /** Whether a rule needs nothing but an empty text, which an absent entry of a map may stand for. */
  readonly hasEmpty: boolean;
  readonly #byValue: ReadonlyMap<KeyValue, readonly Item[]>;
  readonly #prefixes: PrefixIndex<readonly Item[]> | undefined;
  readonly #parts: SubstringIndex<readonly Item[]> | undefined;
  readonly #filled: readonly Item[];

  constructor(
    byValue: ReadonlyMap<KeyValue, readonly Item[]>,
    prefixes: PrefixIndex<readonly Item[]> | undefined,
    parts: SubstringIndex<readonly Item[]> | undefined,
    filled: readonly Item[],
    hasEmpty: boolean,
  ) {
    this.#byValue = byValue;
    this.#prefixes = prefixes;
    this.#parts = parts;
    this.#filled = filled;
    this.hasEmpty = hasEmpty;
  }

  /** Gives each rule that needs this value; a rule of which the value contains several texts, for each of them. */
  find(value: KeyValue, take: Found<Item>): void {
    const equal = this.#byValue.get(value);
    if (equal !== undefined) take(equal);
    if (typeof value !== 'string') return;
    if (value !== '') take(this.#filled);
    this.#prefixes?.find(value).forEach(take);
    this.#parts?.visit(value, take);
  }
}

/** The texts without those that begin with another one: a value begins with at most one of them. */
function shortest(values: readonly KeyValue[]): readonly string[] {
  const kept: string[] = [];
  for (const text of values.map(String).sort()) {
    // The last one kept is the only one that it can begin with.
    const last = kept.at(-1);
    if (last === undefined || !text.startsWith(last)) kept.push(text);
  }
  return kept;
}
