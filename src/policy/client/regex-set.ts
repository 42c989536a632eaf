import { RE2JS, RE2Set } from 're2js';
import { PrefixIndex } from './prefix-index.js';

/**
 * Expressions in RE2 syntax that are matched at once, each against the whole text (BEHAVIOUR 6: full-string RE2). Time
 * is linear in the text, whatever the expressions.
 */
export class RegexSet {
  readonly #match: (text: string) => readonly number[];
  /** What texts begin with that match; undefined when some expression does not tell. */
  readonly #beginnings: PrefixIndex<true> | undefined;

  /** @param regexes expressions that `checkRegex` takes */
  constructor(regexes: readonly string[]) {
    const prefixes = regexes.map(literalPrefix);
    this.#match = regexes.length < 2 ? matchOne(regexes[0]) : matchSeveral(regexes);
    if (!prefixes.includes('')) this.#beginnings = new PrefixIndex(new Map(prefixes.map((prefix) => [prefix, true])));
  }

  /** The indexes of the expressions that match, in ascending order. */
  match(text: string): readonly number[] {
    if (this.#beginnings?.find(text).length === 0) return NONE;
    return this.#match(text);
  }
}

const NONE: readonly number[] = [];
const FIRST: readonly number[] = [0];

/** What every text begins with that the expression matches; empty when that is not plain to see. */
function literalPrefix(regex: string): string {
  if (regex.includes('|')) return '';
  const [literal = ''] = /^[A-Za-z0-9/_~-]*/.exec(regex) ?? [];
  // These make the character before them one that may be missing.
  return /^[?*{]/.test(regex.slice(literal.length)) ? literal.slice(0, -1) : literal;
}

function matchOne(regex: string | undefined): (text: string) => readonly number[] {
  if (regex === undefined) return () => NONE;
  const compiled = RE2JS.compile(regex);
  return (text) => (compiled.testExact(text) ? FIRST : NONE);
}

function matchSeveral(regexes: readonly string[]): (text: string) => readonly number[] {
  const set = new RE2Set(RE2Set.ANCHOR_BOTH);
  for (const regex of regexes) set.add(regex);
  set.compile();
  return (text) => {
    const matching = set.match(text);
    return matching.length < 2 ? matching : matching.sort((a, b) => a - b);
  };
}
