import { keyOf, type MeshObject } from '../../../config/object.js';
import type { BoundService } from '../../../model/policy/bound-services.js';
import { type ComparisonBudget, createComparisonBudget } from '../overlap/comparison-budget.js';
import type { Overlap } from '../overlap/quota-specs-overlap.js';
import { createRegexMemo } from '../overlap/regex-memo.js';
import type { MatchesRegex } from '../overlap/string-matches-overlap.js';

export type FindOverlap = (
  first: MeshObject,
  second: MeshObject,
  budget: ComparisonBudget,
  matches: MatchesRegex,
) => Overlap | undefined;

/** Two specs that one request can match. */
export interface CandidateOverlap {
  /** The candidate itself, or a spec that the candidate binds. */
  readonly mine: MeshObject;
  readonly other: MeshObject;
  /** A service to which both are bound. */
  readonly service: BoundService;
  /** `first` is in `mine`, `second` in `other`. */
  readonly at: Overlap;
}

export interface CandidateMeetings {
  readonly mine: readonly MeshObject[];
  /** The services to which `mine` and other specs may be bound. */
  readonly services: readonly BoundService[];
  /** The specs of a service. A spec of `mine` among them is not compared with itself, in any version. */
  othersAt(service: BoundService): readonly MeshObject[];
  readonly find: FindOverlap;
}

/** One or two milliseconds of comparisons, because an API server waits for the answer. */
const MAX_COMPARISONS = 15_000;
const MAX_SERVICES = 1000;
/** Further overlaps add no information. */
const MAX_OVERLAPS = 5;

/** The first few overlaps within the budget; each pair of specs once. */
export function findCandidateOverlaps(meetings: CandidateMeetings): readonly CandidateOverlap[] {
  const { mine, find } = meetings;
  const budget = createComparisonBudget(MAX_COMPARISONS);
  const matches = createRegexMemo();
  const compared = new Set<string>();
  const overlaps: CandidateOverlap[] = [];
  for (const { first, second, service } of pairsOf(mine, meetings)) {
    if (overlaps.length === MAX_OVERLAPS || !budget.spend()) break;
    const keys = [keyOf(first), keyOf(second)].sort();
    const pair = keys.join('\0');
    if (keys[0] === keys[1] || compared.has(pair)) continue;
    compared.add(pair);
    const at = find(first, second, budget, matches);
    if (at !== undefined) overlaps.push({ mine: first, other: second, service, at });
  }
  return overlaps;
}

interface Pair {
  readonly first: MeshObject;
  readonly second: MeshObject;
  readonly service: BoundService;
}

/** Services with the same specs share one array, which is read once. */
function* pairsOf(mine: readonly MeshObject[], { services, othersAt }: CandidateMeetings): Iterable<Pair> {
  const seen = new Set<readonly MeshObject[]>();
  for (const service of services.slice(0, MAX_SERVICES)) {
    for (const others of [mine, othersAt(service)]) {
      if (seen.has(others)) continue;
      seen.add(others);
      for (const first of mine) for (const second of others) yield { first, second, service };
    }
  }
}
