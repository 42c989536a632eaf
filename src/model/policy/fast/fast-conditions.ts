import type { StringMatchSpec } from '../../../config/policy/string-match.js';
import type { RequestPart } from './request-part.js';

/** A condition on a part of the request. */
export type PartCondition =
  | {
      readonly part: Exclude<RequestPart, { readonly type: 'constant' | 'sourcePrincipal' }>;
      readonly match: 'exact' | 'prefix' | 'regex';
      readonly text: string;
    }
  | PrincipalCondition;

/** A condition on the identity of the client. */
export interface PrincipalCondition {
  readonly part: Extract<RequestPart, { readonly type: 'sourcePrincipal' }>;
  readonly match: 'exact' | 'prefix';
  /** At least one character. */
  readonly text: string;
}

/** Conditions, all of which must hold. Empty: every request meets them. */
export type Conjunction = readonly PartCondition[];

/** A condition of a clause: one that proxies test, one whose result is known, or one that they cannot test. */
export type ReadCondition =
  | { readonly type: 'tested'; readonly condition: PartCondition }
  | { readonly type: 'known'; readonly holds: boolean }
  | { readonly type: 'hidden'; readonly reason: string };

/** @param part of the attribute that the condition names; undefined for one that proxies cannot see */
export function readFastCondition(part: RequestPart | undefined, match: StringMatchSpec): ReadCondition {
  const { exact, prefix, regex } = match;
  if (part === undefined) return { type: 'hidden', reason: 'proxies cannot see the attribute' };
  if (part.type === 'constant') {
    if (regex !== undefined)
      return { type: 'hidden', reason: 'write exact or prefix: proxies do not match this attribute' };
    const holds = exact === undefined ? part.text.startsWith(prefix ?? '') : part.text === exact;
    return { type: 'known', holds };
  }
  if (regex !== undefined) {
    // An expression for the path alone could match a part of the query.
    if (part.type === 'urlPath')
      return { type: 'hidden', reason: 'proxies match request.url_path by exact and prefix alone' };
    if (part.type === 'sourcePrincipal')
      return { type: 'hidden', reason: 'proxies match the identity of the client by exact and prefix alone' };
    return { type: 'tested', condition: { part, match: 'regex', text: regex } };
  }
  const text = exact ?? prefix ?? '';
  // A path without its query has neither character.
  if (part.type === 'urlPath' && /[?#]/.test(text)) return { type: 'known', holds: false };
  const kind = exact === undefined ? 'prefix' : 'exact';
  // Two forms of conditions, because only one of them can be a regular expression.
  return part.type === 'sourcePrincipal'
    ? { type: 'tested', condition: { part, match: kind, text } }
    : { type: 'tested', condition: { part, match: kind, text } };
}

/** Whether no request can meet both, as far as their texts tell. */
export function areDisjoint(first: Conjunction, second: Conjunction): boolean {
  return first.some((one) => second.some((other) => isSamePart(one.part, other.part) && excludes(one, other)));
}

function isSamePart(first: RequestPart, second: RequestPart): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

function excludes(one: PartCondition, other: PartCondition): boolean {
  if (one.match === 'regex' || other.match === 'regex') return false;
  if (one.match === 'exact')
    return other.match === 'exact' ? one.text !== other.text : !one.text.startsWith(other.text);
  if (other.match === 'exact') return !other.text.startsWith(one.text);
  return !one.text.startsWith(other.text) && !other.text.startsWith(one.text);
}
