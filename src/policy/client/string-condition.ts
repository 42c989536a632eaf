import { RE2JS } from 're2js';
import { checkRegex } from '../../config/policy/regex.js';

/** How a text is matched, case-sensitively (SPEC 2.4): at most one member is set; none asks for presence only. */
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

/** What keeps a StringMatch from being used: the member, and a message that follows its path. */
export interface StringMatchProblem {
  readonly type: 'problem';
  readonly member: string;
  readonly message: string;
}

/** Reads the StringMatch for one attribute. Never throws. */
export function readCondition(attribute: string, match: StringMatchConfig): StringCondition | StringMatchProblem {
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
  if (type !== 'regex') return { type, attribute, text };
  const checked = checkRegex(text);
  if (checked.type === 'regex') return { type, attribute, text };
  return { type: 'problem', member: type, message: `${checked.message}: ${checked.remedy}` };
}

/** A function that tells whether a text meets the condition; linear in the text. */
export function compileCondition(condition: StringCondition): (text: string) => boolean {
  switch (condition.type) {
    case 'present':
      return () => true;
    case 'exact':
      return (text) => text === condition.text;
    case 'prefix':
      return (text) => text.startsWith(condition.text);
    case 'regex': {
      const regex = RE2JS.compile(condition.text);
      return (text) => regex.testExact(text);
    }
  }
}
