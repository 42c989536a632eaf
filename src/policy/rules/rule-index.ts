import type { AttributeReader } from '../../expressions/expression-types.js';

/** An attribute that must have a text. */
export interface RequiredText {
  readonly attribute: string;
  readonly text: string;
}

/** A rule in an index. */
export interface IndexedRule {
  /** Place among all rules. */
  readonly place: number;
  /** The texts without which it does not match. */
  readonly requires: readonly RequiredText[];
}

/** Finds the rules that may match a request, in their order. The others are not looked at. */
export type RuleIndex<Rule extends IndexedRule> = (bag: AttributeReader) => readonly Rule[];

interface Table<Rule> {
  readonly attribute: string;
  readonly byText: ReadonlyMap<string, readonly Rule[]>;
}

/** Each rule is found by the one of its texts that fewest other rules require. */
export function createRuleIndex<Rule extends IndexedRule>(rules: readonly Rule[]): RuleIndex<Rule> {
  const uses = new Map<string, number>();
  for (const { requires } of rules) {
    for (const required of requires) uses.set(idOf(required), (uses.get(idOf(required)) ?? 0) + 1);
  }
  const rest: Rule[] = [];
  const tables = new Map<string, Map<string, Rule[]>>();
  for (const rule of rules) {
    const [rarest] = [...rule.requires].sort((a, b) => (uses.get(idOf(a)) ?? 0) - (uses.get(idOf(b)) ?? 0));
    if (rarest === undefined) rest.push(rule);
    else listOf(tables, rarest).push(rule);
  }
  const all: readonly Table<Rule>[] = [...tables].map(([attribute, byText]) => ({ attribute, byText }));
  return (bag) => {
    let found: Rule[] | undefined;
    let only: readonly Rule[] = rest;
    for (const { attribute, byText } of all) {
      const value = bag.get(attribute);
      const more = value?.type === 'string' ? byText.get(value.value) : undefined;
      if (more === undefined) continue;
      if (only.length === 0) only = more;
      else {
        found ??= [...only];
        found.push(...more);
      }
    }
    return found?.sort((a, b) => a.place - b.place) ?? only;
  };
}

function listOf<Rule>(tables: Map<string, Map<string, Rule[]>>, { attribute, text }: RequiredText): Rule[] {
  const byText = tables.get(attribute) ?? new Map<string, Rule[]>();
  tables.set(attribute, byText);
  const list = byText.get(text) ?? [];
  byText.set(text, list);
  return list;
}

function idOf({ attribute, text }: RequiredText): string {
  return `${attribute}=${text}`;
}
