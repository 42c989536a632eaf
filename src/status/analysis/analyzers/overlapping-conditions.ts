import { keyOf, type MeshObject } from '../../../config/object.js';
import type { Service } from '../../../model/service.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { findApiOverlap } from '../overlap/api-specs-overlap.js';
import { type ComparisonBudget, createComparisonBudget } from '../overlap/comparison-budget.js';
import { findQuotaOverlap, type Overlap } from '../overlap/quota-specs-overlap.js';
import { createRegexMemo } from '../overlap/regex-memo.js';
import type { MatchesRegex } from '../overlap/string-matches-overlap.js';

/** Comparisons of one analysis and kind, which take some tens of milliseconds. */
const MAX_COMPARISONS = 100_000;

type FindOverlap<Spec> = (
  first: Spec,
  second: Spec,
  budget: ComparisonBudget,
  matches: MatchesRegex,
) => Overlap | undefined;

/**
 * Specs of one service whose conditions can hold together, one message per pair
 * (docs/reference/policy-kinds.md#quotaspecbinding).
 */
export const findOverlappingConditions: Analyzer = ({ services, bindings }) => [
  ...overlapsOf(services, (service) => bindings.quotaSpecsOf(service), findQuotaOverlap),
  ...overlapsOf(services, (service) => bindings.apiSpecsOf(service), findApiOverlap),
];

function overlapsOf<Spec>(
  services: readonly Service[],
  specsOf: (service: Service) => readonly MeshObject<string, Spec>[],
  find: FindOverlap<Spec>,
): readonly AnalysisMessage[] {
  const budget = createComparisonBudget(MAX_COMPARISONS);
  const matches = createRegexMemo();
  const messages: AnalysisMessage[] = [];
  for (const { first, second, service } of pairsOf(services, specsOf)) {
    const overlap = budget.spend() ? find(first.body, second.body, budget, matches) : undefined;
    if (budget.exhausted) {
      const text = `not all rules were compared with those of ${keyOf(first)}`;
      return [...messages, createMessage('overlapCheckIncomplete', { object: keyOf(second) }, text)];
    }
    if (overlap === undefined) continue;
    const text = `one request to ${service.hostname} can match this and ${overlap.first} of ${keyOf(first)}`;
    const where = { object: keyOf(second), field: overlap.second };
    messages.push(createMessage('overlappingConditions', where, text));
  }
  return messages;
}

interface Pair<Spec> {
  readonly first: MeshObject<string, Spec>;
  readonly second: MeshObject<string, Spec>;
  /** The first service to which both are bound. */
  readonly service: Service;
}

/** Each pair of specs of one service, once. Services with the same specs share one array, which is read once. */
function* pairsOf<Spec>(
  services: readonly Service[],
  specsOf: (service: Service) => readonly MeshObject<string, Spec>[],
): Iterable<Pair<Spec>> {
  const lists = new Set<readonly MeshObject<string, Spec>[]>();
  const seen = new Map<MeshObject, Set<MeshObject>>();
  for (const service of services) {
    const specs = specsOf(service);
    if (lists.has(specs)) continue;
    lists.add(specs);
    for (const [index, first] of specs.entries()) {
      const partners = seen.get(first) ?? new Set();
      seen.set(first, partners);
      for (const second of specs.slice(index + 1)) {
        if (partners.has(second)) continue;
        partners.add(second);
        yield { first, second, service };
      }
    }
  }
}
