import type { CheckRegex } from '../../config/regex/check-regex.js';
import { createMatchMeter } from '../../config/regex/match-meter.js';
import type { SharedProgram } from '../../config/regex/regex-programs.js';
import type { AttributeBag } from './attribute-bag.js';
import { createRegexHome, type RegexHome } from './regex-set.js';
import { type RuleMatch, RuleMatcher } from './rule-matcher.js';
import { readCondition, type StringCondition, type StringMatchConfig } from './string-condition.js';
import { isForWorkload, WORKLOAD_LABELS, type WorkloadsConfig } from './workload-labels.js';

/** A quota to charge (docs/reference/policy-kinds.md#quota). */
export interface QuotaConfig {
  /** Without one nothing is charged. */
  readonly quota?: string;
  /** From 1 to 2147483647; 1 when left out; 0 charges nothing. */
  readonly charge?: number;
}

/** Conditions by attribute name (docs/reference/policy-kinds.md#attributematch), all of which must be met. */
export interface AttributeMatchConfig {
  readonly clause?: Readonly<Record<string, StringMatchConfig>>;
}

/** When to charge what (docs/reference/policy-kinds.md#quotarule). */
export interface QuotaRuleConfig {
  readonly match?: readonly AttributeMatchConfig[];
  readonly quotas?: readonly QuotaConfig[];
  /** The workloads that it is for, by labels; all unless given. */
  readonly workloads?: WorkloadsConfig;
}

/** The spec of a QuotaSpec (docs/reference/policy-kinds.md#quotaspec). */
export interface QuotaSpecConfig {
  readonly rules?: readonly QuotaRuleConfig[];
}

/** An amount of a quota that a request asks for. */
export interface QuotaCharge {
  readonly quota: string;
  readonly charge: number;
}

/** The quota specs of one service, ready for requests. Safe to share; what it answers depends on the bag alone. */
export interface CompiledQuotaSpecs {
  /** What was left out because it cannot be used. */
  readonly problems: readonly SpecProblem[];
  /**
   * What a request is charged (docs/reference/policy-kinds.md#quotarule): the quotas of every rule that matches, in the
   * order of specs, rules and quotas. A quota that several rules name comes several times.
   */
  chargesFor(bag: AttributeBag): readonly QuotaCharge[];
  /** The same, and whether it is all: see `QuotaAssessment`. */
  assess(bag: AttributeBag): QuotaAssessment;
  /** Its regular expressions, for a caller who compiles them before the first request. */
  readonly programs: readonly SharedProgram[];
}

/** What a request is charged, as far as that can be told. */
export interface QuotaAssessment {
  readonly charges: readonly QuotaCharge[];
  /**
   * Whether a rule may charge more that could not be told: all of its other conditions are met, and one cannot be used,
   * because it is beyond a budget or no condition, or because to match it would have taken too long.
   */
  readonly isUndecided: boolean;
}

/** How regular expressions are checked and kept. */
export interface RegexOptions {
  /** By default each expression by itself. */
  readonly check?: CheckRegex;
  /** By default for these specs alone. */
  readonly home?: RegexHome;
}

const MAX_CHARGE = 2_147_483_647;
const NO_CHARGES: readonly QuotaCharge[] = [];

/** Compiles the quota specs of a service. Never throws for bad specs: see `problems`. */
export function compileQuotaSpecs(specs: readonly QuotaSpecConfig[], options: RegexOptions = {}): CompiledQuotaSpecs {
  const { check, home = createRegexHome() } = options;
  const problems: SpecProblem[] = [];
  const charges: (readonly QuotaCharge[])[] = [];
  const matches: RuleMatch[] = [];
  // Without conditions that cannot be used: a rule that may charge, for all that can be told.
  const unusable: RuleMatch[] = [];
  const workloadsOf: (WorkloadsConfig | undefined)[] = [];
  specs.forEach(({ rules = [] }, specIndex) => {
    rules.forEach(({ match = [], quotas = [], workloads }, ruleIndex) => {
      const field = `[${specIndex}].rules[${ruleIndex}]`;
      const rule = charges.length;
      workloadsOf.push(workloads);
      charges.push(readCharges(quotas, `${field}.quotas`, problems));
      if (match.length === 0) matches.push({ rule, conditions: [] });
      for (const [index, { clause = {} }] of match.entries()) {
        const { conditions, isUsable } = readClause(clause, `${field}.match[${index}].clause`, problems, check);
        if (isUsable) matches.push({ rule, conditions });
        else unusable.push({ rule, conditions });
      }
    });
  });
  const matcher = new RuleMatcher(charges.length, matches, home);
  const undecided = unusable.length === 0 ? undefined : new RuleMatcher(charges.length, unusable, home);
  const isRestricted = workloadsOf.some((workloads) => workloads !== undefined);
  /** Those of the rules that are for the workload of the request. */
  const ofWorkload = (rules: readonly number[], bag: AttributeBag): readonly number[] => {
    if (!isRestricted || rules.length === 0) return rules;
    const labels = bag.get(WORKLOAD_LABELS);
    return rules.filter((rule) => isForWorkload(workloadsOf[rule], labels));
  };
  const chargesOf = (matched: readonly number[]): readonly QuotaCharge[] => {
    if (matched.length === 0) return NO_CHARGES;
    if (matched.length === 1) return charges[matched[0] ?? 0] ?? NO_CHARGES;
    return matched.flatMap((rule) => charges[rule] ?? NO_CHARGES);
  };
  const assess = (bag: AttributeBag): QuotaAssessment => {
    const meter = createMatchMeter();
    const found = chargesOf(ofWorkload(matcher.match(bag, meter), bag));
    const isUndecided = undecided !== undefined && ofWorkload(undecided.match(bag, meter), bag).length > 0;
    return { charges: found, isUndecided: isUndecided || meter.isExceeded };
  };
  return {
    problems,
    programs: [...matcher.programs, ...(undecided?.programs ?? [])],
    chargesFor: (bag) => assess(bag).charges,
    assess,
  };
}

interface ReadClause {
  /** Those that can be used. */
  readonly conditions: readonly StringCondition[];
  /** A match with a condition that cannot be used is never met, for leaving the condition out would widen it. */
  readonly isUsable: boolean;
}

function readClause(
  clause: Readonly<Record<string, StringMatchConfig>>,
  field: string,
  problems: SpecProblem[],
  check: CheckRegex | undefined,
): ReadClause {
  const conditions: StringCondition[] = [];
  let isUsable = true;
  for (const [attribute, match] of Object.entries(clause)) {
    const condition = readCondition(attribute, match, check);
    if (condition.type === 'problem') {
      isUsable = false;
      const path = `${field}[${JSON.stringify(attribute)}].${condition.member}`;
      problems.push({ field: path, message: condition.message });
    } else conditions.push(condition);
  }
  return { conditions, isUsable };
}

function readCharges(quotas: readonly QuotaConfig[], field: string, problems: SpecProblem[]): readonly QuotaCharge[] {
  const charges: QuotaCharge[] = [];
  for (const [index, { quota = '', charge = 1 }] of quotas.entries()) {
    if (quota === '') {
      problems.push({ field: `${field}[${index}].quota`, message: 'is empty: name the quota to charge' });
    } else if (!Number.isInteger(charge) || charge < 1 || charge > MAX_CHARGE) {
      const message = `is ${charge}: write a whole number from 1 to ${MAX_CHARGE}`;
      problems.push({ field: `${field}[${index}].charge`, message });
    } else charges.push(Object.freeze({ quota, charge }));
  }
  return Object.freeze(charges);
}

/** A part of a spec that cannot be used; the rest of the spec works without it. Validation refuses such specs earlier. */
export interface SpecProblem {
  /** Path from the list of specs, for example `[0].patterns[2].regex`. */
  readonly field: string;
  /** What is wrong with the value, and what to do. */
  readonly message: string;
}
