import { keyOf, type ObjectKey } from '../../config/object.js';
import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import type { QuotaSpecObject } from '../../model/policy/policy-bindings.js';
import type { AttributeBag } from '../../policy/client/attribute-bag.js';
import { compileQuotaSpecs } from '../../policy/client/compile-quota-specs.js';
import { dimensionText } from '../../policy/quota/dimension-text.js';
import { createOverrideIndex } from '../../policy/quota/override-index.js';
import type { CountedLimit, CountingHandler } from './explain-rules.js';

/** A quota that the request is charged for. */
export interface ExplainedCharge {
  readonly quota: string;
  readonly charge: number;
  /** The object whose rule charges it. */
  readonly object: ObjectKey;
  /** Whether the spec only counts what it would refuse. */
  readonly isDryRun?: true;
  /** The handlers of rules that count it. */
  readonly countedBy: readonly CountingHandler[];
  /** Undefined: the policy server's file is not known. `none`: the file has no limit of this name. */
  readonly limit: ExplainedLimit | 'none' | undefined;
}

export interface ExplainedLimit extends CountedLimit {
  readonly isOverride: boolean;
}

export interface ExplainedQuotas {
  readonly charges: readonly ExplainedCharge[];
  /** Specs that are bound, and of which no rule matches. */
  readonly unmatched: readonly ObjectKey[];
  /** Specs with a condition that cannot be decided. */
  readonly undecided: readonly ObjectKey[];
}

/** The charges of a request, spec by spec. @param handlersFor the handlers of rules that count a quota */
export function explainQuotas(
  specs: readonly QuotaSpecObject[],
  bag: AttributeBag,
  limitFor: LimitLookup,
  handlersFor: (quota: string) => readonly CountingHandler[],
): ExplainedQuotas {
  const assessed = specs.map((spec) => {
    const { dryRun = false } = spec.body;
    return { object: keyOf(spec), dryRun, ...compileQuotaSpecs([spec.body], { dryRun }).assess(bag) };
  });
  return {
    charges: assessed.flatMap(({ object, dryRun, charges }) =>
      charges.map(({ quota, charge }) => ({
        quota,
        charge,
        object,
        ...(dryRun && { isDryRun: true as const }),
        countedBy: handlersFor(quota),
        limit: limitFor(quota, bag),
      })),
    ),
    unmatched: assessed
      .filter(({ charges, isUndecided }) => charges.length === 0 && !isUndecided)
      .map(({ object }) => object),
    undecided: assessed.filter(({ isUndecided }) => isUndecided).map(({ object }) => object),
  };
}

/** The limit of a quota for a request: see `limit` of ExplainedCharge. */
export type LimitLookup = (quota: string, bag: AttributeBag) => ExplainedCharge['limit'];

/** @param limits of the policy server; undefined if they are not known */
export function limitsIn(limits: readonly QuotaLimit[] | undefined): LimitLookup {
  return (quota, bag) => limits && limitOf(quota, bag, limits);
}

function limitOf(quota: string, bag: AttributeBag, limits: readonly QuotaLimit[]): ExplainedLimit | 'none' {
  const limit = limits.find(({ name }) => name === quota);
  if (limit === undefined) return 'none';
  const values = limit.dimensions.map((dimension) => dimensionText(dimension, bag) ?? '');
  const override = createOverrideIndex(limit)(values);
  const { maxAmount, validDurationMs } = override ?? limit;
  const counter = Object.fromEntries(limit.dimensions.map(({ text }, index) => [text, values[index] ?? '']));
  return { maxAmount, validDurationMs, counter, isOverride: override !== undefined };
}
