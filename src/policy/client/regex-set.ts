import { literalPrefix } from '../../config/regex/literal-prefix.js';
import { createMatchMeter, type MatchMeter } from '../../config/regex/match-meter.js';
import { createRegexPrograms, type RegexPrograms, type SharedProgram } from '../../config/regex/regex-programs.js';
import { regexSize } from '../../config/regex/regex-size.js';
import { PrefixIndex } from './prefix-index.js';

/** The store of compiled expressions, and their owner in it. */
export interface RegexHome {
  readonly programs: RegexPrograms;
  /** Namespace of the service. */
  readonly owner: string;
}

/** A store without a shared limit, for users of the library, who know their specs. */
export function createRegexHome(): RegexHome {
  return { programs: createRegexPrograms(), owner: '' };
}

interface Part {
  readonly program: SharedProgram;
  /** Index of its first expression. */
  readonly from: number;
}

/** Estimated bytes of one program: to compile it takes about 10 ms, after which other work gets its turn. */
const MAX_PART_BYTES = 1024 * 1024;

/**
 * Expressions in RE2 syntax that are matched together, each against the whole text
 * (docs/reference/policy-kinds.md#stringmatch). The time is linear in the text.
 */
export class RegexSet {
  readonly #parts: readonly Part[];
  readonly #workPerCharacter: number;
  /** The prefixes of all matching texts; undefined when an expression has no fixed prefix. */
  readonly #beginnings: PrefixIndex<true> | undefined;

  /** @param regexes expressions that `checkRegex` takes */
  constructor(regexes: readonly string[], home: RegexHome = createRegexHome()) {
    this.#parts = partsOf(regexes, home);
    this.#workPerCharacter = this.#parts.reduce((sum, { program }) => sum + program.workPerCharacter, 0);
    const prefixes = regexes.map(literalPrefix);
    if (!prefixes.includes('')) this.#beginnings = new PrefixIndex(new Map(prefixes.map((prefix) => [prefix, true])));
  }

  /** The programs to compile before the first match. */
  get programs(): readonly SharedProgram[] {
    return this.#parts.map(({ program }) => program);
  }

  /**
   * The indexes of the matching expressions, in ascending order. Empty when the meter has too little left; the meter
   * remembers that.
   */
  match(text: string, meter: MatchMeter = createMatchMeter(Number.POSITIVE_INFINITY)): readonly number[] {
    if (this.#parts.length === 0 || this.#beginnings?.find(text).length === 0) return NONE;
    if (!meter.spend(this.#workPerCharacter * text.length)) return NONE;
    const [only] = this.#parts;
    if (only !== undefined && this.#parts.length === 1) return only.program.match(text);
    return this.#parts.flatMap(({ program, from }) => program.match(text).map((index) => from + index));
  }
}

const NONE: readonly number[] = [];

function partsOf(regexes: readonly string[], { programs, owner }: RegexHome): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  let bytes = 0;
  const finish = (to: number): void => {
    if (to > from) parts.push({ program: programs.program(regexes.slice(from, to), owner), from });
    from = to;
    bytes = 0;
  };
  for (const [index, regex] of regexes.entries()) {
    const size = regexSize(regex);
    const own = size.type === 'size' ? size.bytes : 0;
    if (bytes + own > MAX_PART_BYTES) finish(index);
    bytes += own;
  }
  finish(regexes.length);
  return parts;
}
