import type { AttributeBag } from './attribute-bag.js';
import { type RuleMatch, RuleMatcher } from './rule-matcher.js';
import type { SpecProblem } from './spec-problem.js';
import { readCondition, type StringCondition, type StringMatchConfig } from './string-condition.js';

/** A quota to charge (SPEC 2.6). */
export interface QuotaConfig {
  readonly quota?: string;
  /** From 1 to 2147483647; 1 when left out. */
  readonly charge?: number;
}

/** Conditions by attribute name (SPEC 2.5), all of which must be met. */
export interface AttributeMatchConfig {
  readonly clause?: Readonly<Record<string, StringMatchConfig>>;
}

/** When to charge what (SPEC 2.3). */
export interface QuotaRuleConfig {
  readonly match?: readonly AttributeMatchConfig[];
  readonly quotas?: readonly QuotaConfig[];
}

/** The spec of a QuotaSpec (SPEC 2.2). */
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
   * What a request is charged (SPEC 2.3): the quotas of every rule that matches, in the order of specs, rules and quotas.
   * A quota that several rules name comes several times.
   */
  chargesFor(bag: AttributeBag): readonly QuotaCharge[];
}

const MAX_CHARGE = 2_147_483_647;
const NO_CHARGES: readonly QuotaCharge[] = [];

/** Compiles the quota specs of a service. Never throws for bad specs: see `problems`. */
export function compileQuotaSpecs(specs: readonly QuotaSpecConfig[]): CompiledQuotaSpecs {
  const problems: SpecProblem[] = [];
  const charges: (readonly QuotaCharge[])[] = [];
  const matches: RuleMatch[] = [];
  specs.forEach(({ rules = [] }, specIndex) => {
    rules.forEach(({ match = [], quotas = [] }, ruleIndex) => {
      const field = `[${specIndex}].rules[${ruleIndex}]`;
      const rule = charges.length;
      charges.push(readCharges(quotas, `${field}.quotas`, problems));
      if (match.length === 0) matches.push({ rule, conditions: [] });
      for (const [index, { clause = {} }] of match.entries()) {
        const conditions = readClause(clause, `${field}.match[${index}].clause`, problems);
        if (conditions !== undefined) matches.push({ rule, conditions });
      }
    });
  });
  const matcher = new RuleMatcher(charges.length, matches);
  return {
    problems,
    chargesFor(bag) {
      const matched = matcher.match(bag);
      if (matched.length === 0) return NO_CHARGES;
      if (matched.length === 1) return charges[matched[0] ?? 0] ?? NO_CHARGES;
      return matched.flatMap((rule) => charges[rule] ?? NO_CHARGES);
    },
  };
}

/** Undefined when a condition cannot be used: such a match is never met, for leaving the condition out would widen it. */
function readClause(
  clause: Readonly<Record<string, StringMatchConfig>>,
  field: string,
  problems: SpecProblem[],
): readonly StringCondition[] | undefined {
  const conditions: StringCondition[] = [];
  let isUsable = true;
  for (const [attribute, match] of Object.entries(clause)) {
    const condition = readCondition(attribute, match);
    if (condition.type === 'problem') {
      isUsable = false;
      const path = `${field}[${JSON.stringify(attribute)}].${condition.member}`;
      problems.push({ field: path, message: condition.message });
    } else conditions.push(condition);
  }
  return isUsable ? conditions : undefined;
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
