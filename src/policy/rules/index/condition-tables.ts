import { appendTo } from '../../../base/append-to.js';
import type { Conjunct, ValueCondition } from '../../../expressions/conditions/conjunct.js';
import type { KeyValue } from '../../../expressions/conditions/value-condition.js';
import type { AttributeReader } from '../../../expressions/expression-types.js';
import { PrefixIndex } from '../../client/prefix-index.js';
import { chooseConditions } from './choose-conditions.js';
import { SubstringIndex } from './substring-index.js';

/** Takes rules that a request may match. */
export type Found<Item> = (items: readonly Item[]) => void;

/** The rules by the values that they need. */
export interface ConditionTables<Item> {
  /** Gives each rule whose value the request has, and each rule without a value, exactly once. */
  find(bag: AttributeReader, take: Found<Item>): void;
}

/** The rules that need a value of one subject. */
interface Table<Item> {
  readonly read: ValueCondition['read'];
  readonly byValue: Map<KeyValue, Item[]>;
  readonly byPrefix: Map<string, Item[]>;
  readonly byPart: Map<string, Item[]>;
}

/**
 * @param itemOf makes what `find` gives for a rule
 * @param itemOf.proven the conjunct that is true when the rule is found, if one is
 */
export function createConditionTables<Rule extends { readonly conjuncts: readonly Conjunct[] }, Item>(
  rules: readonly Rule[],
  itemOf: (rule: Rule, proven: Conjunct | undefined) => Item,
): ConditionTables<Item> {
  const rest: Item[] = [];
  const tables = new Map<string, Table<Item>>();
  for (const [rule, chosen] of chooseConditions(rules)) {
    if (chosen === undefined) {
      rest.push(itemOf(rule, undefined));
      continue;
    }
    const { condition, conjunct } = chosen;
    const item = itemOf(rule, condition.isEnough ? conjunct : undefined);
    addTo(tableOf(tables, condition), condition, item);
  }
  const all = Array.from(tables.values(), ({ read, byValue, byPrefix, byPart }) => ({
    read,
    byValue,
    prefixes: byPrefix.size === 0 ? undefined : new PrefixIndex<readonly Item[]>(byPrefix),
    parts: byPart.size === 0 ? undefined : new SubstringIndex<readonly Item[]>(byPart),
  }));

  return {
    find(bag, take) {
      take(rest);
      for (let index = 0; index < all.length; index++) {
        const table = all[index];
        const value = table?.read(bag);
        if (table === undefined || value === undefined) continue;
        const equal = table.byValue.get(value);
        if (equal !== undefined) take(equal);
        if (typeof value !== 'string') continue;
        table.prefixes?.find(value).forEach(take);
        table.parts?.visit(value, take);
      }
    },
  };
}

function addTo<Item>(table: Table<Item>, { type, values }: ValueCondition, item: Item): void {
  switch (type) {
    case 'equals':
      for (const value of new Set(values)) appendTo(table.byValue, value, item);
      return;
    case 'startsWith':
      for (const prefix of shortest(values)) appendTo(table.byPrefix, prefix, item);
      return;
    case 'contains':
      for (const part of values) appendTo(table.byPart, String(part), item);
  }
}

function tableOf<Item>(
  tables: Map<string, Table<Item>>,
  { subjectKey, read }: Pick<ValueCondition, 'subjectKey' | 'read'>,
): Table<Item> {
  const known = tables.get(subjectKey);
  if (known !== undefined) return known;
  const made: Table<Item> = { read, byValue: new Map(), byPrefix: new Map(), byPart: new Map() };
  tables.set(subjectKey, made);
  return made;
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
