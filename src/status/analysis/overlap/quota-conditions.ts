import { appendTo } from '../../../base/append-to.js';
import type { BoundQuotaSpec } from '../../../config/policy/bound-specs.js';
import type { AttributeMatchSpec } from '../../../config/policy/quota-spec.js';
import type { Workloads } from './workloads-meet.js';

type Clause = AttributeMatchSpec['clause'];

/** One match of a QuotaSpec's rules. */
export interface QuotaCondition {
  /** Index among all conditions of the spec. */
  readonly position: number;
  readonly rule: number;
  /** Index of the match in its rule; undefined for a rule without matches. */
  readonly match: number | undefined;
  readonly clause: Clause;
  readonly entries: readonly (readonly [attribute: string, condition: Clause[string]])[];
  readonly workloads: Workloads;
}

/** A rule without matches always holds, so it becomes one condition with an empty clause. */
export function conditionsOf(rules: BoundQuotaSpec['rules']): readonly QuotaCondition[] {
  let position = 0;
  return rules.flatMap(({ match, workloads }, rule): readonly QuotaCondition[] =>
    match.length === 0
      ? [{ position: position++, rule, match: undefined, clause: {}, entries: [], workloads }]
      : match.map(({ clause }, index) => ({
          position: position++,
          rule,
          match: index,
          clause,
          entries: Object.entries(clause),
          workloads,
        })),
  );
}

export function conditionPath({ rule, match }: QuotaCondition): string {
  return `spec.rules[${rule}]${match === undefined ? '' : `.match[${match}]`}`;
}

/** Finds conditions by the exact values that they require. */
export interface QuotaConditionIndex {
  /**
   * The conditions that may hold together with a condition, in order: conditions that require another exact text are
   * left out.
   */
  partnersOf(condition: QuotaCondition): readonly QuotaCondition[];
}

interface Table {
  readonly byText: ReadonlyMap<string, readonly QuotaCondition[]>;
  /** Conditions that require no exact text of the attribute. */
  readonly others: readonly QuotaCondition[];
}

/** Attributes that get a table. Further attributes rarely separate conditions. */
const MAX_TABLES = 8;

export function createQuotaConditionIndex(conditions: readonly QuotaCondition[]): QuotaConditionIndex {
  const tables = new Map<string, Table>();
  const tableOf = (attribute: string): Table | undefined => {
    const known = tables.get(attribute);
    if (known !== undefined || tables.size === MAX_TABLES) return known;
    const table = buildTable(conditions, attribute);
    tables.set(attribute, table);
    return table;
  };
  return {
    partnersOf: ({ entries }) => {
      let best: { readonly same: readonly QuotaCondition[]; readonly others: readonly QuotaCondition[] } | undefined;
      for (const [attribute, { exact }] of entries) {
        const table = exact === undefined ? undefined : tableOf(attribute);
        if (exact === undefined || table === undefined) continue;
        const found = { same: table.byText.get(exact) ?? [], others: table.others };
        if (best === undefined || sizeOf(found) < sizeOf(best)) best = found;
      }
      return best === undefined ? conditions : inOrder(best.same, best.others);
    },
  };
}

function buildTable(conditions: readonly QuotaCondition[], attribute: string): Table {
  const byText = new Map<string, QuotaCondition[]>();
  const others: QuotaCondition[] = [];
  for (const condition of conditions) {
    const { clause } = condition;
    const text = Object.hasOwn(clause, attribute) ? clause[attribute]?.exact : undefined;
    if (text === undefined) {
      others.push(condition);
      continue;
    }
    appendTo(byText, text, condition);
  }
  return { byText, others };
}

function sizeOf(lists: { readonly same: readonly unknown[]; readonly others: readonly unknown[] }): number {
  return lists.same.length + lists.others.length;
}

function inOrder(first: readonly QuotaCondition[], second: readonly QuotaCondition[]): readonly QuotaCondition[] {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  return [...first, ...second].sort((a, b) => a.position - b.position);
}
