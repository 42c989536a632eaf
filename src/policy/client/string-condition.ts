import { canonicalIpAddress, ipAddressText } from '../../base/ip-address.js';
import { ATTRIBUTE_VOCABULARY } from '../../config/attributes/attribute-vocabulary.js';
import { type Dimension, parseDimension } from '../../config/policy-server/dimension.js';
import { type CheckRegex, checkRegex } from '../../config/regex/check-regex.js';
import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { AttributeBag } from './attribute-bag.js';
import { type RegexHome, RegexSet } from './regex-set.js';

/** Attributes that are addresses: an exact match may write them in any form, for example IPv6 in capitals. */
const ADDRESSES: ReadonlySet<string> = new Set(
  ATTRIBUTE_VOCABULARY.flatMap(({ name, type }) => (type === 'bytes' ? [name] : [])),
);

/**
 * How a text is matched, case-sensitively (docs/reference/policy-kinds.md#stringmatch). At most one member is set;
 * without a member, the attribute must be present.
 */
export interface StringMatchConfig {
  readonly exact?: string;
  readonly prefix?: string;
  /** RE2 syntax, for the whole text. */
  readonly regex?: string;
}

/** A condition on the text of one attribute. */
export type StringCondition =
  | { readonly type: 'exact' | 'prefix' | 'regex'; readonly attribute: string; readonly text: string }
  | { readonly type: 'present'; readonly attribute: string };

/** The reason why a StringMatch cannot be used: the member, and the text after its path. */
export interface StringMatchProblem {
  readonly type: 'problem';
  readonly member: string;
  readonly message: string;
}

/** Reads the StringMatch for one attribute. Never throws. */
export function readCondition(
  attribute: string,
  match: StringMatchConfig,
  check: CheckRegex = checkRegex,
): StringCondition | StringMatchProblem {
  const { exact, prefix, regex } = match;
  const texts = { exact, prefix, regex };
  const given = (['exact', 'prefix', 'regex'] as const).filter((member) => texts[member] !== undefined);
  const [type] = given;
  if (type === undefined) return { type: 'present', attribute };
  if (given.length > 1) {
    const member = given[1] ?? type;
    return { type: 'problem', member, message: `is set beside ${type}: set exactly one of exact, prefix and regex` };
  }
  const text = texts[type] ?? '';
  if (type === 'exact' && ADDRESSES.has(attribute)) return { type, attribute, text: canonicalIpAddress(text) ?? text };
  if (type !== 'regex') return { type, attribute, text };
  const checked = check(text);
  if (checked.type === 'regex') return { type, attribute, text };
  return { type: 'problem', member: type, message: `${checked.message}: ${checked.remedy}` };
}

/** Tests a text against a condition, in time linear in the text. */
export interface ConditionTest {
  readonly test: (text: string, meter: MatchMeter) => boolean;
  /** The expression's set, for a condition that has one. */
  readonly regexes?: RegexSet;
}

export function compileCondition(condition: StringCondition, home: RegexHome): ConditionTest {
  switch (condition.type) {
    case 'present':
      return { test: () => true };
    case 'exact':
      return { test: (text) => text === condition.text };
    case 'prefix':
      return { test: (text) => text.startsWith(condition.text) };
    case 'regex': {
      const regexes = new RegexSet([condition.text], home);
      return { test: (text, meter) => regexes.match(text, meter).length > 0, regexes };
    }
  }
}

/** The subject of a condition: an attribute, or with a key an entry of a map. */
export type ConditionSubject = Pick<Dimension, 'attribute' | 'mapKey'>;

/** Reads the key of a clause: `request.path`, `request.headers[x-user]`. Any other text is the name of an attribute. */
export function readSubject(written: string): ConditionSubject {
  return parseDimension(written) ?? { attribute: written };
}

/**
 * The text for a condition: of a text, of an entry of a map, or of an IP address. Undefined without one. Numbers, times
 * and whole maps have no text (docs/reference/policy-kinds.md#stringmatch: a condition matches a string). Allocates
 * nothing for texts, which nearly all conditions use.
 */
export function conditionText({ attribute, mapKey }: ConditionSubject, bag: AttributeBag): string | undefined {
  const value = bag.get(attribute);
  if (value === undefined) return undefined;
  if (mapKey !== undefined) return value.type === 'stringMap' ? value.value.get(mapKey) : undefined;
  switch (value.type) {
    case 'string':
      return value.value;
    case 'bytes':
      return ipAddressText(value.value);
    case 'int64':
    case 'double':
    case 'bool':
    case 'timestamp':
    case 'duration':
    case 'stringMap':
      return undefined;
  }
}
