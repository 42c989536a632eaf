import { whenSettled } from '../../base/when-settled.js';
import type { MatchMeter } from '../../config/regex/match-meter.js';
import { createEvaluationMeter } from '../../expressions/compile/lazy-frame.js';
import type { CheckDecision } from '../client/check-flow.js';
import type { DryRunRefusal } from '../client/dry-run.js';
import type { HandlerCheck } from '../handlers/policy-handler.js';
import { checkDecision } from './decisions.js';
import { type Charge, chargesOf, type DispatchOptions, dispatchRequest, type Outcome } from './dispatch-request.js';
import type { HandlerTable } from './handler-table.js';
import { InstanceBuilder } from './instance-builder.js';
import { type CompiledRuleSet, type Destination, destinationsWith } from './rule-set.js';

/** One question of a dry run: to a rule, or to the handlers that count quotas of specs in a dry run. */
interface Trial {
  /** Key of the rule; undefined for quotas of specs. */
  readonly rule: string | undefined;
  readonly destinations: readonly Destination[];
  readonly charges: readonly Charge[];
}

/**
 * Asks the handlers of rules and quotas in a dry run about a request that passes. Handlers that fail refuse nothing, and log
 * why. The quotas of dry runs have counters of their own, which count what the request would be charged.
 *
 * @returns the decision, with what would have refused the request
 */
export function tryDryRuns(
  decision: CheckDecision,
  { attributes, quotas, dryRunQuotas = [], deduplicationId }: HandlerCheck,
  rules: Pick<CompiledRuleSet, 'dryRuns' | 'requestDestinations'>,
  handlers: Pick<HandlerTable, 'get'>,
  options: DispatchOptions,
): CheckDecision | Promise<CheckDecision> {
  if (decision.status.code !== 'OK') return decision;
  // Rules in a dry run must not use up the work of those in force.
  const meter = createEvaluationMeter();
  const builder = new InstanceBuilder(attributes, meter, options.limitedLog);
  const outcomes = trialsOf().map(({ rule, destinations, charges }) => {
    const asked = { charges, deduplicationId, isDryRun: true };
    const outcome = dispatchRequest(destinations, asked, builder, handlers, options);
    return whenSettled(outcome, (settled) => refusalsOf(rule, settled, meter));
  });
  const join = (all: readonly (readonly DryRunRefusal[])[]): CheckDecision => {
    const dryRun = all.flat();
    return dryRun.length === 0 ? decision : { ...decision, dryRun };
  };
  return outcomes.some((outcome) => outcome instanceof Promise)
    ? Promise.all(outcomes).then(join)
    : join(outcomes as readonly (readonly DryRunRefusal[])[]);

  function trialsOf(): readonly Trial[] {
    const ofRules = rules.dryRuns?.(attributes, meter) ?? [];
    const charges = chargesOf(dryRunQuotas);
    // Specs in a dry run contain what enforced ones charge of their quotas.
    const tried = new Set(charges.map(({ quota }) => quota));
    const all = [...charges, ...chargesOf(quotas).filter(({ quota }) => !tried.has(quota))];
    const trials = ofRules.map(({ key, destinations }) => ({ rule: key, destinations, charges: all }));
    if (charges.length === 0) return trials;
    // Without checks, which have decided already.
    const destinations = destinationsWith(rules.requestDestinations(attributes, meter), ['quota']);
    return [{ rule: undefined, destinations, charges }, ...trials];
  }
}

function refusalsOf(rule: string | undefined, outcome: Outcome, meter: MatchMeter): readonly DryRunRefusal[] {
  const { status, exhaustedQuotas } = checkDecision(outcome, meter, { policy: 'FAIL_OPEN' });
  const { code } = status;
  if (code === 'OK') return [];
  if (rule !== undefined) return [{ by: 'rule', name: rule, code }];
  return exhaustedQuotas.map((name) => ({ by: 'quota', name, code }));
}
