import type { Conjunct, MapEntry, ValueCondition } from '../../../expressions/conditions/conjunct.js';
import type { AttributeReader } from '../../../expressions/expression-types.js';
import { chooseConditions } from './choose-conditions.js';
import { EntryTables } from './entry-tables.js';
import { type Found, type ValueTable, ValueTableBuilder } from './value-table.js';

/** The rules by the values that they need. */
export interface ConditionTables<Item> {
  /** Gives each rule whose value the request has, and each rule without a value, exactly once. */
  find(bag: AttributeReader, take: Found<Item>): void;
}

/** The rules that need a value of one subject, and how it is read. */
interface Collected<Item> extends Pick<ValueCondition, 'read' | 'entry'> {
  readonly rules: ValueTableBuilder<Item>;
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
  const collected = new Map<string, Collected<Item>>();
  for (const [rule, chosen] of chooseConditions(rules)) {
    if (chosen === undefined) {
      rest.push(itemOf(rule, undefined));
      continue;
    }
    const { condition, conjunct } = chosen;
    const item = itemOf(rule, condition.isEnough ? conjunct : undefined);
    collectorOf(collected, condition).rules.add(condition, item);
  }
  const { tables, maps } = tablesOf(collected.values());

  return {
    find(bag, take) {
      take(rest);
      for (let index = 0; index < tables.length; index++) {
        const { read, table } = tables[index] as (typeof tables)[number];
        const value = read(bag);
        if (value !== undefined) table.find(value, take);
      }
      for (let index = 0; index < maps.length; index++) maps[index]?.find(bag, take);
    },
  };
}

function collectorOf<Item>(
  collected: Map<string, Collected<Item>>,
  { subjectKey, read, entry }: ValueCondition,
): Collected<Item> {
  const known = collected.get(subjectKey);
  if (known !== undefined) return known;
  const made: Collected<Item> = { read, entry, rules: new ValueTableBuilder() };
  collected.set(subjectKey, made);
  return made;
}

interface ReadTable<Item> extends Pick<ValueCondition, 'read'> {
  readonly table: ValueTable<Item>;
}

/** The tables whose subjects are read for each request, and those of entries of maps. */
function tablesOf<Item>(collected: Iterable<Collected<Item>>): {
  readonly tables: readonly ReadTable<Item>[];
  readonly maps: readonly EntryTables<Item>[];
} {
  const tables: ReadTable<Item>[] = [];
  const maps = new Map<string, EntryTables<Item>>();
  const mapOf = ({ mapKey, readMap }: MapEntry): EntryTables<Item> => {
    const known = maps.get(mapKey);
    if (known !== undefined) return known;
    const made = new EntryTables<Item>(readMap);
    maps.set(mapKey, made);
    return made;
  };
  for (const { read, entry, rules } of collected) {
    const table = rules.build();
    if (entry === undefined || table.hasEmpty) tables.push({ read, table });
    else mapOf(entry).add(entry.name, table);
  }
  return { tables, maps: [...maps.values()] };
}
