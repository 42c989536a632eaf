import type { StringMatcher } from '../generated/envoy/type/matcher/v3/StringMatcher.js';
import { regexMatcher } from './regex-matcher.js';

/** Compares a text; `regex` has to match all of it (RE2). */
export function stringMatcher({
  type,
  value,
}: {
  readonly type: 'exact' | 'prefix' | 'regex';
  readonly value: string;
}): StringMatcher {
  return type === 'regex' ? { safeRegex: regexMatcher(value) } : { [type]: value };
}
