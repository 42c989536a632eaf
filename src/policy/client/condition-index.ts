import { appendTo } from '../../base/append-to.js';
import type { MatchMeter } from '../../config/regex/match-meter.js';
import { PrefixIndex } from './prefix-index.js';
import { type RegexHome, RegexSet } from './regex-set.js';
import type { StringCondition } from './string-condition.js';

const NONE: readonly number[] = [];

/** Conditions on one attribute with the numbers of their candidates, found by the text of the attribute. */
export class ConditionIndex {
  readonly #exact: ReadonlyMap<string, readonly number[]>;
  readonly #prefixes: PrefixIndex<readonly number[]>;
  readonly #regexes: RegexSet;
  readonly #byRegex: readonly (readonly number[])[];
  readonly #present: readonly number[];

  constructor(waiting: Iterable<readonly [condition: StringCondition, number: number]>, home: RegexHome) {
    const texts = { exact: new Map<string, number[]>(), prefix: new Map<string, number[]>() };
    const regexes = new Map<string, number[]>();
    const present: number[] = [];
    for (const [condition, number] of waiting) {
      if (condition.type === 'present') present.push(number);
      else if (condition.type === 'regex') appendTo(regexes, condition.text, number);
      else appendTo(texts[condition.type], condition.text, number);
    }
    this.#exact = texts.exact;
    this.#prefixes = new PrefixIndex(texts.prefix);
    this.#regexes = new RegexSet([...regexes.keys()], home);
    this.#byRegex = [...regexes.values()];
    this.#present = present;
  }

  /** The expressions of all conditions. */
  get regexes(): RegexSet {
    return this.#regexes;
  }

  /** Calls `visit` for each number whose condition the text meets. */
  visit(text: string, meter: MatchMeter, visit: (number: number) => void): void {
    visitAll(this.#present, visit);
    visitAll(this.#exact.get(text), visit);
    for (const numbers of this.#prefixes.find(text)) visitAll(numbers, visit);
    for (const index of this.#regexes.match(text, meter)) visitAll(this.#byRegex[index], visit);
  }
}

function visitAll(numbers: readonly number[] = NONE, visit: (number: number) => void): void {
  for (let index = 0; index < numbers.length; index++) visit(numbers[index] ?? 0);
}
