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
  /** Nothing is charged without a name. */
  readonly quota?: string;
  /** From 1 to 2147483647, 1 by default. 0 charges nothing. */
  readonly charge?: number;
}

/** Conditions by attribute name (docs/reference/policy-kinds.md#attributematch), all of which must be met. */
export interface AttributeMatchConfig {
  readonly clause?: Readonly<Record<string, StringMatchConfig>>;
}

/** Conditions and their charges (docs/reference/policy-kinds.md#quotarule). */
export interface QuotaRuleConfig {
  readonly match?: readonly AttributeMatchConfig[];
  readonly quotas?: readonly QuotaConfig[];
  /** The labels of its workloads; all workloads unless given. */
  readonly workloads?: WorkloadsConfig;
}

/** The spec of a QuotaSpec (docs/reference/policy-kinds.md#quotaspec). */
export interface QuotaSpecConfig {
  readonly rules?: readonly QuotaRuleConfig[];
  /** Whether answers tell what is left of the quotas. */
  readonly rateLimitHeaders?: boolean;
  /** The responses whose requests are given back. */
  readonly refund?: { readonly responseCodes: readonly string[] };
  /** Whether the spec refuses nothing; then it is compiled only where dry runs are asked for. */
  readonly dryRun?: boolean;
}

/** An amount of a quota that a request asks for. */
export interface QuotaCharge {
  readonly quota: string;
  readonly charge: number;
  /** Whether the answer tells what is left of the quota. */
  readonly isTold?: boolean;
  /** Response codes after which the amount is given back, with spaces between them; absent: never. */
  readonly refundCodes?: string;
}

/** The compiled quota specs of one service. Shareable: results depend only on the bag. */
export interface CompiledQuotaSpecs {
  /** The parts that were left out because they cannot be used. */
  readonly problems: readonly SpecProblem[];
  /**
   * The charges of a request (docs/reference/policy-kinds.md#quotarule): the quotas of every rule that matches, in the
   * order of specs, rules and quotas. A quota of several rules occurs several times.
   */
  chargesFor(bag: AttributeBag): readonly QuotaCharge[];
  /** The charges, and whether they are complete: see `QuotaAssessment`. */
  assess(bag: AttributeBag): QuotaAssessment;
  /** All regular expressions, for a caller that compiles them before the first request. */
  readonly programs: readonly SharedProgram[];
}

/** The charges that could be determined. */
export interface QuotaAssessment {
  readonly charges: readonly QuotaCharge[];
  /**
   * Whether a rule may charge more. All of its other conditions are met, but one condition is invalid, exceeds a
   * budget, or takes too long to match.
   */
  readonly isUndecided: boolean;
}

/** How regular expressions are checked and kept. */
export interface RegexOptions {
  /** By default, each expression is checked alone. */
  readonly check?: CheckRegex;
  /** By default, programs belong to these specs alone. */
  readonly home?: RegexHome;
  /** Whether specs in a dry run are compiled, instead of the others. Default false. */
  readonly dryRun?: boolean;
}

const MAX_CHARGE = 2_147_483_647;
const NO_CHARGES: readonly QuotaCharge[] = [];

/** Compiles the quota specs of a service. Never throws for bad specs: see `problems`. */
export function compileQuotaSpecs(specs: readonly QuotaSpecConfig[], options: RegexOptions = {}): CompiledQuotaSpecs {
  const { check, home = createRegexHome(), dryRun: wantsDryRun = false } = options;
  const problems: SpecProblem[] = [];
  const charges: (readonly QuotaCharge[])[] = [];
  const matches: RuleMatch[] = [];
  // Matches with an unusable condition, reduced to their usable ones: such a rule may charge.
  const unusable: RuleMatch[] = [];
  const workloadsOf: (WorkloadsConfig | undefined)[] = [];
  specs.forEach((spec, specIndex) => {
    const { rules = [], dryRun = false } = spec;
    if (dryRun !== wantsDryRun) return;
    rules.forEach(({ match = [], quotas = [], workloads }, ruleIndex) => {
      const field = `[${specIndex}].rules[${ruleIndex}]`;
      const rule = charges.length;
      workloadsOf.push(workloads);
      charges.push(readCharges(quotas, spec, `${field}.quotas`, problems));
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
  /** The rules for the workload of the request. */
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
  /** The usable conditions. */
  readonly conditions: readonly StringCondition[];
  /** A match with an unusable condition is never met: a match without that condition would be wider. */
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

function readCharges(
  quotas: readonly QuotaConfig[],
  { rateLimitHeaders, refund }: QuotaSpecConfig,
  field: string,
  problems: SpecProblem[],
): readonly QuotaCharge[] {
  const charges: QuotaCharge[] = [];
  const ofSpec = {
    ...(rateLimitHeaders && { isTold: true }),
    ...(refund && { refundCodes: refund.responseCodes.join(' ') }),
  };
  for (const [index, { quota = '', charge = 1 }] of quotas.entries()) {
    if (quota === '') {
      problems.push({ field: `${field}[${index}].quota`, message: 'is empty: name the quota to charge' });
    } else if (!Number.isInteger(charge) || charge < 1 || charge > MAX_CHARGE) {
      const message = `is ${charge}: write a whole number from 1 to ${MAX_CHARGE}`;
      problems.push({ field: `${field}[${index}].charge`, message });
    } else charges.push(Object.freeze({ quota, charge, ...ofSpec }));
  }
  return Object.freeze(charges);
}

/** A part of a spec that cannot be used. The rest of the spec works. Validation rejects such specs earlier. */
export interface SpecProblem {
  /** Path from the list of specs, for example `[0].patterns[2].regex`. */
  readonly field: string;
  /** The problem of the value, and its remedy. */
  readonly message: string;
}
