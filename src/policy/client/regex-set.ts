import { RE2JS, RE2Set } from 're2js';

/**
 * Expressions in RE2 syntax that are matched at once, each against the whole text (BEHAVIOUR 6: full-string RE2). Time
 * is linear in the text, whatever the expressions.
 */
export class RegexSet {
  readonly #match: (text: string) => readonly number[];

  /** @param regexes expressions that `checkRegex` takes */
  constructor(regexes: readonly string[]) {
    this.#match = regexes.length < 2 ? matchOne(regexes[0]) : matchSeveral(regexes);
  }

  /** The indexes of the expressions that match, in ascending order. */
  match(text: string): readonly number[] {
    return this.#match(text);
  }
}

const NONE: readonly number[] = [];
const FIRST: readonly number[] = [0];

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
