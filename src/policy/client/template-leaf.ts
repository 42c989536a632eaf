import type { QueryVariable } from '../../config/policy/uri-template.js';
import { countCharacters } from './percent-text.js';
import { queryOf, queryPairs } from './request-target.js';

/** How long the values of a request's query parameters are. The query is read once, when it is first asked about. */
export class QueryLengths {
  readonly #target: string;
  #longest: Map<string, number> | undefined;

  constructor(target: string) {
    this.#target = target;
  }

  /** Characters of the parameter's longest value; 0 when the request does not have it. */
  longest(name: string): number {
    this.#longest ??= measureQuery(queryOf(this.#target));
    return this.#longest.get(name) ?? 0;
  }
}

function measureQuery(query: string): Map<string, number> {
  const longest = new Map<string, number>();
  for (const { name, value } of queryPairs(query)) {
    longest.set(name, Math.max(longest.get(name) ?? 0, countCharacters(value)));
  }
  return longest;
}

/** The method of a pattern that stands for all methods. */
const ANY_METHOD = '*';

interface Candidate<Value> {
  readonly limits: readonly QueryVariable[];
  readonly value: Value;
  readonly isForAll: boolean;
}

/** Selects the values for a request; all values without it. */
export type Accepts<Value> = (value: Value) => boolean;

/** The patterns with templates that end at one place of the trie, by method. */
export class TemplateLeaf<Value> {
  readonly #candidates = new Map<string, Candidate<Value>[]>();

  /**
   * Adds a pattern after the existing ones. The first pattern with a path and method is used. A later one is used only
   * when the limits of the earlier ones (`{?q:3}`) do not match, or the earlier ones are not for all workloads.
   */
  add(method: string, query: readonly QueryVariable[], value: Value, isForAll = true): void {
    const limits = query.filter(({ maxLength }) => maxLength !== undefined);
    const candidates = this.#candidates.get(method) ?? [];
    this.#candidates.set(method, candidates);
    if (candidates.every((earlier) => earlier.limits.length > 0 || !earlier.isForAll)) {
      candidates.push({ limits, value, isForAll });
    }
  }

  /** The pattern for a request: one of exactly its method before one of all methods. */
  pick(method: string, query: QueryLengths, accepts?: Accepts<Value>): Value | undefined {
    const own = this.#pick(method, query, accepts);
    return own ?? (method === ANY_METHOD ? undefined : this.#pick(ANY_METHOD, query, accepts));
  }

  #pick(method: string, query: QueryLengths, accepts: Accepts<Value> | undefined): Value | undefined {
    return this.#candidates
      .get(method)
      ?.find(({ limits, value }) => isWithinLimits(limits, query) && accepts?.(value) !== false)?.value;
  }
}

/**
 * RFC 6570 lets a request leave out every name of `{?a,b}` and add others. A query expression therefore excludes only
 * values that are longer than their prefix modifier allows.
 */
function isWithinLimits(limits: readonly QueryVariable[], query: QueryLengths): boolean {
  return limits.every(({ name, maxLength = Number.POSITIVE_INFINITY }) => query.longest(name) <= maxLength);
}
