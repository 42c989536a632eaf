import { appendTo } from '../../../base/append-to.js';
import type { ValueCondition } from '../../../expressions/conditions/conjunct.js';
import type { KeyValue } from '../../../expressions/conditions/value-condition.js';
import { PrefixIndex } from '../../client/prefix-index.js';
import { SubstringIndex } from './substring-index.js';

/** Takes rules that a request may match. */
export type Found<Item> = (items: readonly Item[]) => void;

/** The rules that need a value of one subject. */
export interface ValueTable<Item> {
  /** Whether a rule needs nothing but an empty text, which an absent entry of a map may stand for. */
  readonly hasEmpty: boolean;
  /** Gives each rule that needs this value; a rule of which the value contains several texts, for each of them. */
  find(value: KeyValue, take: Found<Item>): void;
}

/** Collects the rules of a table. */
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

  /** The table of all rules that were added. */
  build(): ValueTable<Item> {
    const byValue = this.#byValue;
    const filled = this.#filled;
    const prefixes = this.#byPrefix.size === 0 ? undefined : new PrefixIndex<readonly Item[]>(this.#byPrefix);
    const parts = this.#byPart.size === 0 ? undefined : new SubstringIndex<readonly Item[]>(this.#byPart);
    return {
      hasEmpty: byValue.has('') || this.#byPrefix.has(''),
      find(value, take) {
        const equal = byValue.get(value);
        if (equal !== undefined) take(equal);
        if (typeof value !== 'string') return;
        if (value !== '') take(filled);
        prefixes?.find(value).forEach(take);
        parts?.visit(value, take);
      },
    };
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
