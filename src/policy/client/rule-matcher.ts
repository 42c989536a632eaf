import { createMatchMeter, type MatchMeter } from '../../config/regex/match-meter.js';
import type { SharedProgram } from '../../config/regex/regex-programs.js';
import type { AttributeBag } from './attribute-bag.js';
import { ConditionIndex } from './condition-index.js';
import type { RegexHome } from './regex-set.js';
import {
  type ConditionSubject,
  type ConditionTest,
  compileCondition,
  conditionText,
  readSubject,
  type StringCondition,
} from './string-condition.js';

/** One match of a rule. All of its conditions must be met; without conditions it always matches. */
export interface RuleMatch {
  /** Number of the rule that it belongs to, from 0. */
  readonly rule: number;
  readonly conditions: readonly StringCondition[];
}

/** A condition that is tested only for candidates. It remembers its result for the current request. */
interface Check extends ConditionTest {
  readonly subject: ConditionSubject;
  round: number;
  answer: boolean;
}

interface Candidate {
  readonly rule: number;
  readonly checks: readonly Check[];
}

/** The weight of a regex in exact conditions: an index lookup costs less than an expression. */
const REGEX_WEIGHT = 20;

/**
 * Finds the matching rules among many. An index holds the rarest condition of each match, so that a request tests only
 * the matches whose rarest condition it meets, and each of their other conditions once.
 */
export class RuleMatcher {
  /** Rules with a match without conditions. */
  readonly #always: readonly number[];
  readonly #candidates: readonly Candidate[];
  readonly #indexes: readonly (readonly [subject: ConditionSubject, index: ConditionIndex])[];
  /** The round of the last match of each rule. Float64Array, because 32 bits of rounds would overflow within hours. */
  readonly #matchedIn: Float64Array;
  /** Every expression of every condition. */
  readonly programs: readonly SharedProgram[];
  #round = 0;

  /** @param ruleCount rules are numbered from 0 up to, not including, this */
  constructor(ruleCount: number, matches: readonly RuleMatch[], home: RegexHome) {
    const usage = countUsage(matches);
    const checks = new Map<string, Check>();
    const candidates: Candidate[] = [];
    const waiting = new Map<string, [StringCondition, number][]>();
    const always = new Set<number>();
    for (const { rule, conditions } of matches) {
      const rarest = rarestOf(conditions, usage);
      if (rarest === undefined) {
        always.add(rule);
        continue;
      }
      const list = waiting.get(rarest.attribute) ?? [];
      waiting.set(rarest.attribute, list);
      list.push([rarest, candidates.length]);
      const others = conditions.filter((condition) => condition !== rarest);
      candidates.push({ rule, checks: others.map((condition) => sharedCheck(checks, condition, home)) });
    }
    this.#always = [...always];
    this.#candidates = candidates;
    this.#indexes = [...waiting].map(([attribute, list]) => [readSubject(attribute), new ConditionIndex(list, home)]);
    const sets = [
      ...this.#indexes.map(([, index]) => index.regexes),
      ...[...checks.values()].map((check) => check.regexes),
    ];
    this.programs = sets.flatMap((set) => set?.programs ?? []);
    this.#matchedIn = new Float64Array(ruleCount);
  }

  /** The numbers of all rules that match, in ascending order. */
  match(bag: AttributeBag, meter: MatchMeter = createMatchMeter()): readonly number[] {
    this.#round++;
    const matched: number[] = [];
    const visit = (candidate: number) => this.#tryCandidate(candidate, bag, meter, matched);
    for (const [subject, index] of this.#indexes) {
      const text = conditionText(subject, bag);
      if (text !== undefined) index.visit(text, meter, visit);
    }
    for (const rule of this.#always) {
      if (this.#matchedIn[rule] !== this.#round) this.#mark(rule, matched);
    }
    return isAscending(matched) ? matched : matched.sort((a, b) => a - b);
  }

  #tryCandidate(number: number, bag: AttributeBag, meter: MatchMeter, matched: number[]): void {
    const candidate = this.#candidates[number];
    if (candidate === undefined || this.#matchedIn[candidate.rule] === this.#round) return;
    for (const check of candidate.checks) {
      if (!this.#holds(check, bag, meter)) return;
    }
    this.#mark(candidate.rule, matched);
  }

  #holds(check: Check, bag: AttributeBag, meter: MatchMeter): boolean {
    if (check.round !== this.#round) {
      const text = conditionText(check.subject, bag);
      check.round = this.#round;
      check.answer = text !== undefined && check.test(text, meter);
    }
    return check.answer;
  }

  #mark(rule: number, matched: number[]): void {
    this.#matchedIn[rule] = this.#round;
    matched.push(rule);
  }
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
}

function keyOf(condition: StringCondition): string {
  return JSON.stringify([condition.type, condition.attribute, condition.type === 'present' ? '' : condition.text]);
}

function countUsage(matches: readonly RuleMatch[]): ReadonlyMap<string, number> {
  const usage = new Map<string, number>();
  for (const { conditions } of matches) {
    for (const key of conditions.map(keyOf)) usage.set(key, (usage.get(key) ?? 0) + 1);
  }
  return usage;
}

function rarestOf(
  conditions: readonly StringCondition[],
  usage: ReadonlyMap<string, number>,
): StringCondition | undefined {
  let rarest: StringCondition | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const condition of conditions) {
    const count = usage.get(keyOf(condition)) ?? 0;
    const weight =
      condition.type === 'present' ? count + 1e9 : condition.type === 'regex' ? count + REGEX_WEIGHT : count;
    if (weight < least) {
      least = weight;
      rarest = condition;
    }
  }
  return rarest;
}

function sharedCheck(checks: Map<string, Check>, condition: StringCondition, home: RegexHome): Check {
  const key = keyOf(condition);
  const known = checks.get(key);
  if (known !== undefined) return known;
  const check = {
    subject: readSubject(condition.attribute),
    ...compileCondition(condition, home),
    round: 0,
    answer: false,
  };
  checks.set(key, check);
  return check;
}
