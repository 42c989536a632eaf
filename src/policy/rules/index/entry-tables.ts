import type { MapEntry } from '../../../expressions/conditions/conjunct.js';
import type { AttributeReader } from '../../../expressions/expression-types.js';
import type { Found, ValueTable } from './value-table.js';

/**
 * The rules that need values of entries of one map, by the names of the entries. A request has fewer headers than many rules
 * name, so that the entries of the request are looked up rather than those of the rules.
 */
export class EntryTables<Item> {
  readonly #readMap: MapEntry['readMap'];
  readonly #byName = new Map<string, ValueTable<Item>>();

  constructor(readMap: MapEntry['readMap']) {
    this.#readMap = readMap;
  }

  /** @param table without a rule that an absent entry meets */
  add(name: string, table: ValueTable<Item>): void {
    this.#byName.set(name, table);
  }

  find(bag: AttributeReader, take: Found<Item>): void {
    const map = this.#readMap(bag);
    if (map === undefined) return;
    if (map.size > this.#byName.size) {
      for (const [name, table] of this.#byName) {
        const value = map.get(name);
        if (value !== undefined) table.find(value, take);
      }
      return;
    }
    for (const [name, value] of map) this.#byName.get(name)?.find(value, take);
  }
}
