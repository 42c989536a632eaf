import type { Conjunct, MapEntry, ValueCondition } from '../../../expressions/conditions/conjunct.js';
import type { AttributeReader } from '../../../expressions/expression-types.js';
import { chooseConditions } from './choose-conditions.js';
import { EntryTables } from './entry-tables.js';
import { type Found, type ValueTable, ValueTableBuilder } from './value-table.js';

/** The rules by the values that they need. */
export interface ConditionTables<Item> {
  /** Gives each rule of which the request meets a condition, and each rule without conditions. */
  find(bag: AttributeReader, take: Found<Item>): void;
}

/** The rules that need a value of one subject, and how it is read. */
interface Collected<Item> extends Pick<ValueCondition, 'read' | 'entry'> {
  readonly rules: ValueTableBuilder<Item>;
}

/** What is known of a rule before a request comes. */
export interface Findable {
  /** The conjunct that is true when the rule is found, if one is. */
  readonly proven: Conjunct | undefined;
  /** Whether one request may find the rule several times. */
  readonly isRepeated: boolean;
}

/** @param itemOf makes what `find` gives for a rule */
export function createConditionTables<Rule extends { readonly conjuncts: readonly Conjunct[] }, Item>(
  rules: readonly Rule[],
  itemOf: (rule: Rule, findable: Findable) => Item,
): ConditionTables<Item> {
  const rest: Item[] = [];
  const collected = new Map<string, Collected<Item>>();
  for (const [rule, chosen] of chooseConditions(rules)) {
    if (chosen === undefined) {
      rest.push(itemOf(rule, { proven: undefined, isRepeated: false }));
      continue;
    }
    const { conditions, conjunct } = chosen;
    const item = itemOf(rule, {
      proven: conditions.every(({ isEnough }) => isEnough) ? conjunct : undefined,
      isRepeated: conditions.length > 1 || conditions.some(mayRepeat),
    });
    for (const condition of conditions) collectorOf(collected, condition).rules.add(condition, item);
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

/** A text may contain several of the values. */
function mayRepeat({ type, values }: ValueCondition): boolean {
  return type === 'contains' && values.length > 1;
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
