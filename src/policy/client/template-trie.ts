import type { TemplateSegment, UriTemplate } from '../../config/policy/uri-template.js';
import { countCharacters, normalizeEscapes } from './percent-text.js';
import { segmentsOf } from './request-target.js';
import { type Accepts, QueryLengths, TemplateLeaf } from './template-leaf.js';

/** A place after a path of literals and single segments; each place has exactly one way to it. */
interface Place<Value> {
  readonly literals: Map<string, Place<Value>>;
  /** The shortest limit first: `{a:3}` is more specific than `{a}`. Infinity without a limit. */
  readonly singles: { readonly maxLength: number; readonly place: Place<Value> }[];
  rest: Tail<Value> | undefined;
  leaf: TemplateLeaf<Value> | undefined;
}

/** A place among the literals that follow `**`, read from the path's end. */
interface Tail<Value> {
  readonly literals: Map<string, Tail<Value>>;
  leaf: TemplateLeaf<Value> | undefined;
}

/**
 * Finds the template for a path (docs/reference/policy-kinds.md#uri-templates). At every segment, a literal goes before
 * `*`, and `*` before `**`. When the better way finds no template, the next way is tried.
 *
 * The work is bounded by the size of the templates plus the length of the path. Every segment consumes one part of the
 * path, so that a request visits each place of the trie at most once. Only literals follow `**`; they are compared from
 * the end of the path, longest first, instead of trying every length for `**`.
 */
export class TemplateTrie<Value> {
  readonly #root: Place<Value> = emptyPlace();

  add(template: Pick<UriTemplate, 'segments' | 'query'>, method: string, value: Value, isForAll = true): void {
    const at = template.segments.findIndex(({ type }) => type === 'rest');
    const head = at === -1 ? template.segments : template.segments.slice(0, at);
    const place = head.reduce(descend, this.#root);
    const end = at === -1 ? place : descendTail(place, template.segments.slice(at + 1));
    end.leaf ??= new TemplateLeaf();
    end.leaf.add(method, template.query, value, isForAll);
  }

  /**
   * @param segments of the path, with escapes normalized
   * @param query of the request, for limits of query variables
   * @param accepts which values count; all unless given
   */
  find(segments: readonly string[], method: string, query: QueryLengths, accepts?: Accepts<Value>): Value | undefined {
    return new Search<Value>(segments, method, query, accepts).from(this.#root, 0);
  }
}

class Search<Value> {
  readonly #segments: readonly string[];
  readonly #method: string;
  readonly #query: QueryLengths;
  readonly #accepts: Accepts<Value> | undefined;
  /** The counted characters of each segment. */
  readonly #counts: (number | undefined)[] = [];

  constructor(segments: readonly string[], method: string, query: QueryLengths, accepts: Accepts<Value> | undefined) {
    this.#segments = segments;
    this.#method = method;
    this.#query = query;
    this.#accepts = accepts;
  }

  from(place: Place<Value>, index: number): Value | undefined {
    const segment = this.#segments[index];
    if (segment === undefined) return this.#pick(place.leaf) ?? this.#fromRest(place.rest, index);
    const literal = place.literals.get(segment);
    return (
      (literal && this.from(literal, index + 1)) ??
      (segment === '' ? undefined : this.#fromSingles(place, index)) ??
      this.#fromRest(place.rest, index)
    );
  }

  #fromSingles(place: Place<Value>, index: number): Value | undefined {
    for (const { maxLength, place: next } of place.singles) {
      if (maxLength !== Number.POSITIVE_INFINITY && this.#characters(index) > maxLength) continue;
      const found = this.from(next, index + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #fromRest(rest: Tail<Value> | undefined, index: number): Value | undefined {
    return rest && this.#fromTail(rest, this.#segments.length - 1, index);
  }

  /** The longest tail that matches, for its literals come first in the path. */
  #fromTail(tail: Tail<Value>, last: number, first: number): Value | undefined {
    const segment = last < first ? undefined : this.#segments[last];
    const longer = segment === undefined ? undefined : tail.literals.get(segment);
    return (longer && this.#fromTail(longer, last - 1, first)) ?? this.#pick(tail.leaf);
  }

  #pick(leaf: TemplateLeaf<Value> | undefined): Value | undefined {
    return leaf?.pick(this.#method, this.#query, this.#accepts);
  }

  #characters(index: number): number {
    const known = this.#counts[index];
    if (known !== undefined) return known;
    const count = countCharacters(this.#segments[index] ?? '');
    this.#counts[index] = count;
    return count;
  }
}

function emptyPlace<Value>(): Place<Value> {
  return { literals: new Map(), singles: [], rest: undefined, leaf: undefined };
}

function descend<Value>(place: Place<Value>, segment: TemplateSegment): Place<Value> {
  if (segment.type === 'literal') {
    const value = normalizeEscapes(segment.value);
    const next = place.literals.get(value) ?? emptyPlace<Value>();
    place.literals.set(value, next);
    return next;
  }
  const maxLength = (segment.type === 'single' ? segment.maxLength : undefined) ?? Number.POSITIVE_INFINITY;
  const known = place.singles.find((single) => single.maxLength === maxLength);
  if (known !== undefined) return known.place;
  const next = emptyPlace<Value>();
  place.singles.push({ maxLength, place: next });
  place.singles.sort((a, b) => a.maxLength - b.maxLength);
  return next;
}

function descendTail<Value>(place: Place<Value>, literals: readonly TemplateSegment[]): Tail<Value> {
  place.rest ??= { literals: new Map(), leaf: undefined };
  let tail = place.rest;
  for (const segment of literals.toReversed()) {
    const value = segment.type === 'literal' ? normalizeEscapes(segment.value) : '';
    const next: Tail<Value> = tail.literals.get(value) ?? { literals: new Map(), leaf: undefined };
    tail.literals.set(value, next);
    tail = next;
  }
  return tail;
}

/** All URI templates of a service, with and without verbs. */
export class PathTemplates<Value> {
  readonly #plain = new TemplateTrie<Value>();
  readonly #byVerb = new Map<string, TemplateTrie<Value>>();

  add(template: UriTemplate, method: string, value: Value, isForAll = true): void {
    this.#trieOf(template.verb).add(template, method, value, isForAll);
  }

  /**
   * The value of the best template. A template with the verb at the end of the path is more specific than templates
   * without a verb. When none of them matches, the colon belongs to the last segment.
   *
   * @param accepts which values count; all unless given
   */
  find(method: string, target: string, accepts?: Accepts<Value>): Value | undefined {
    const segments = segmentsOf(target);
    if (segments === undefined) return undefined;
    const query = new QueryLengths(target);
    return this.#findWithVerb(segments, method, query, accepts) ?? this.#plain.find(segments, method, query, accepts);
  }

  #findWithVerb(
    segments: readonly string[],
    method: string,
    query: QueryLengths,
    accepts: Accepts<Value> | undefined,
  ): Value | undefined {
    if (this.#byVerb.size === 0) return undefined;
    const last = segments.at(-1) ?? '';
    const colon = last.lastIndexOf(':');
    const trie = colon === -1 ? undefined : this.#byVerb.get(last.slice(colon + 1));
    return trie?.find([...segments.slice(0, -1), last.slice(0, colon)], method, query, accepts);
  }

  #trieOf(verb: string | undefined): TemplateTrie<Value> {
    if (verb === undefined) return this.#plain;
    const trie = this.#byVerb.get(verb) ?? new TemplateTrie<Value>();
    this.#byVerb.set(verb, trie);
    return trie;
  }
}
