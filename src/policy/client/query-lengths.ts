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
