import { escapeRegex } from '../../base/escape-regex.js';
import type { StringMatcher } from '../../generated/envoy/type/matcher/v3/StringMatcher.js';

/** A value of an AuthorizationPolicy: a text, the beginning or the end of one, or any text that is not empty. */
export type ValuePattern =
  | { readonly type: 'exact' | 'prefix' | 'suffix'; readonly text: string }
  | { readonly type: 'present' };

export function parseValuePattern(value: string): ValuePattern {
  if (value === '*') return { type: 'present' };
  if (value.startsWith('*')) return { type: 'suffix', text: value.slice(1) };
  if (value.endsWith('*')) return { type: 'prefix', text: value.slice(0, -1) };
  return { type: 'exact', text: value };
}

/** Compares a text with a value. */
export function valueMatcher(value: string): StringMatcher {
  const pattern = parseValuePattern(value);
  return pattern.type === 'present' ? regexMatcher('.+') : { [pattern.type]: pattern.text };
}

/** @param regex must match the whole text (RE2) */
export function regexMatcher(regex: string): StringMatcher {
  return { safeRegex: { regex } };
}

/**
 * The regular expression of a value, without anchors.
 *
 * @param any what "*" stands for
 */
export function valueRegex(value: string, any = '.*'): string {
  const pattern = parseValuePattern(value);
  switch (pattern.type) {
    case 'present':
      return any === '.*' ? '.+' : any;
    case 'exact':
      return escapeRegex(pattern.text);
    case 'prefix':
      return escapeRegex(pattern.text) + any;
    case 'suffix':
      return any + escapeRegex(pattern.text);
  }
}
