import type { UriTemplate } from '../../config/policy/uri-template.js';
import { QueryLengths } from './query-lengths.js';
import { segmentsOf } from './request-target.js';
import type { Accepts } from './template-leaf.js';
import { TemplateTrie } from './template-trie.js';

/** All URI templates of a service, with and without verbs. */
export class PathTemplates<Value> {
  readonly #plain = new TemplateTrie<Value>();
  readonly #byVerb = new Map<string, TemplateTrie<Value>>();

  add(template: UriTemplate, method: string, value: Value, isForAll = true): void {
    this.#trieOf(template.verb).add(template, method, value, isForAll);
  }

  /**
   * What was added with the template that matches best. A template whose verb the path ends with says more than any
   * without; when none of them matches, the colon is taken as part of the last segment.
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
