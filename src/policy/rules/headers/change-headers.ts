import { isHeaderText } from '../../../config/networking/header-rules.js';
import type { MatchMeter } from '../../../config/regex/match-meter.js';
import type { CompiledExpression } from '../../../expressions/compile-expression.js';
import type { AttributeBag } from '../../client/attribute-bag.js';
import type { Header, HeaderChanges } from '../../client/header-changes.js';
import type { CompiledHeaderOperation, CompiledHeaders } from './compile-header-operations.js';
import type { OutputRecord } from './output-record.js';

/** A rule that changes headers. */
export interface HeaderRule {
  readonly key: string;
  readonly headers: CompiledHeaders;
}

export interface ChangedHeaders {
  readonly changes: HeaderChanges;
  /** Why operations could not be applied; then the fail policy of the request decides. */
  readonly problems: readonly { readonly rule: string; readonly problem: string }[];
}

/** Headers that rules may change of one request, and of its response. */
const MAX_HEADERS = 32;
/** Characters of their names and values together. */
const MAX_CHARACTERS = 16_384;

/**
 * Applies the header operations of rules in their order. The values of the request are known, so that only the final ones
 * are sent. A header whose new value cannot be made is removed from the request: the value of the caller must not be taken
 * for it.
 */
export function changeHeaders(
  rules: readonly HeaderRule[],
  attributes: AttributeBag,
  outputs: OutputRecord,
  meter: MatchMeter,
): ChangedHeaders {
  const request = new RequestHeaders(attributes);
  const response = new ResponseHeaders();
  const problems: { rule: string; problem: string }[] = [];
  for (const { key, headers } of rules) {
    const bag = attributes.overlaid(outputs.layerOf(headers.outputs));
    for (const { direction, name, operation, values } of headers.operations) {
      const texts: string[] = [];
      for (const value of values) {
        const made = headerText(value, bag, meter);
        if (made.type === 'value') texts.push(made.text);
        else problems.push({ rule: key, problem: `header ${name}: ${made.message}` });
      }
      const isComplete = texts.length === values.length;
      const table = direction === 'request' ? request : response;
      if (!table.apply(operation, name, texts, isComplete)) {
        problems.push({ rule: key, problem: `header ${name}: rules change more than ${MAX_HEADERS} headers` });
      }
    }
  }
  const changes = { ...request.changes(), ...response.changes() };
  const characters = Object.values(changes).flat(2).join('').length;
  if (characters <= MAX_CHARACTERS) return { changes, problems };
  const problem = `the headers have ${characters} characters: rules may set ${MAX_CHARACTERS} for one request`;
  const requestToRemove = [...changes.requestToRemove, ...changes.requestToSet.map(([name]) => name)];
  return {
    changes: { requestToSet: [], requestToRemove, responseToSet: [], responseToAdd: [] },
    problems: [...problems, { rule: rules.at(-1)?.key ?? '', problem }],
  };
}

function headerText(
  value: CompiledExpression,
  bag: AttributeBag,
  meter: MatchMeter,
): { readonly type: 'value'; readonly text: string } | { readonly type: 'problem'; readonly message: string } {
  const result = value.evaluate(bag, meter);
  if (result.type === 'error') return { type: 'problem', message: result.message };
  const text = result.value.type === 'string' ? result.value.value.trim() : '';
  if (isHeaderText(text)) return { type: 'value', text };
  return { type: 'problem', message: 'the value has characters that a header cannot have' };
}

type Operation = CompiledHeaderOperation['operation'];

class RequestHeaders {
  /** The final values; undefined for a header that is removed. */
  readonly #values = new Map<string, string | undefined>();
  readonly #attributes: AttributeBag;

  constructor(attributes: AttributeBag) {
    this.#attributes = attributes;
  }

  /** @returns false if there are too many headers */
  apply(operation: Operation, name: string, texts: readonly string[], isComplete: boolean): boolean {
    if (this.#values.size >= MAX_HEADERS && !this.#values.has(name)) return false;
    const joined = (all: readonly string[]) => all.join(name === 'cookie' ? '; ' : ',');
    if (operation === 'APPEND') {
      const before = this.#values.has(name) ? this.#values.get(name) : this.#ofCaller(name);
      const all = before === undefined ? texts : [before, ...texts];
      if (texts.length > 0) this.#values.set(name, joined(all));
    } else this.#values.set(name, operation === 'REPLACE' && isComplete ? joined(texts) : undefined);
    return true;
  }

  changes(): Pick<HeaderChanges, 'requestToSet' | 'requestToRemove'> {
    const requestToSet: Header[] = [];
    const requestToRemove: string[] = [];
    for (const [name, value] of this.#values) {
      if (value === undefined) requestToRemove.push(name);
      else requestToSet.push([name, value]);
    }
    return { requestToSet, requestToRemove };
  }

  #ofCaller(name: string): string | undefined {
    const headers = this.#attributes.get('request.headers');
    return headers?.type === 'stringMap' ? headers.value.get(name) : undefined;
  }
}

class ResponseHeaders {
  readonly #values = new Map<string, { readonly replaces: boolean; readonly texts: readonly string[] }>();

  apply(operation: Operation, name: string, texts: readonly string[], isComplete: boolean): boolean {
    if (this.#values.size >= MAX_HEADERS && !this.#values.has(name)) return false;
    // The headers of the service are not known yet: only those of rules before can be left out.
    if (operation === 'REMOVE') this.#values.delete(name);
    else if (operation === 'REPLACE') {
      if (isComplete) this.#values.set(name, { replaces: true, texts });
    } else {
      const { replaces = false, texts: before = [] } = this.#values.get(name) ?? {};
      this.#values.set(name, { replaces, texts: [...before, ...texts] });
    }
    return true;
  }

  changes(): Pick<HeaderChanges, 'responseToSet' | 'responseToAdd'> {
    const responseToSet: Header[] = [];
    const responseToAdd: Header[] = [];
    for (const [name, { replaces, texts }] of this.#values) {
      if (replaces) responseToSet.push([name, texts.join(',')]);
      else for (const text of texts) responseToAdd.push([name, text]);
    }
    return { responseToSet, responseToAdd };
  }
}
