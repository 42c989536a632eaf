import type { CheckDecision } from '../client/check-flow.js';
import type { DryRunRefusal } from '../client/dry-run.js';
import { PolicyTransportError } from '../client/policy-transport.js';
import { addUpCharges } from '../client/quota-charges.js';
import type { HandlerCheck, ReceiptUse } from '../handlers/policy-handler.js';
import type { QuotaCharger, QuotaOutcome } from './charge-quotas.js';

/**
 * Charges what QuotaSpecs in a dry run would charge a request that passes, with counters of their own. A refused request
 * charges none of them. While the store cannot count, nothing is refused.
 *
 * @returns the decision, with the quotas that would have refused the request
 */
export function tryDryRun(
  decision: CheckDecision,
  { attributes, dryRunQuotas = [], deduplicationId = '', receipt }: HandlerCheck,
  charger: Pick<QuotaCharger, 'charge'>,
  timeoutMs: number,
): CheckDecision | Promise<CheckDecision> {
  const demands = addUpCharges(dryRunQuotas).map(({ quota, charge }) => ({ quota, amount: charge, bestEffort: false }));
  if (decision.status.code !== 'OK' || demands.length === 0) return decision;
  const told = (outcome: QuotaOutcome): CheckDecision => {
    const dryRun = refusalsOf(demands, outcome);
    const paid = outcome.type === 'counted' ? (decision.receipt ?? outcome.receipt) : decision.receipt;
    return {
      ...decision,
      ...(paid !== undefined && { receipt: paid }),
      ...(dryRun.length > 0 && { dryRun }),
    };
  };
  const untold = (error: unknown): CheckDecision => {
    if (error instanceof PolicyTransportError) return decision;
    throw error;
  };
  try {
    const charge = { attributes, deduplicationId, demands, timeoutMs, receipt: ofDryRun(receipt), isDryRun: true };
    const outcome = charger.charge(charge);
    return outcome instanceof Promise ? outcome.then(told).catch(untold) : told(outcome);
  } catch (error) {
    return untold(error);
  }
}

function refusalsOf(demands: readonly { readonly quota: string }[], outcome: QuotaOutcome): readonly DryRunRefusal[] {
  if (outcome.type === 'unknownKey') return [{ by: 'quota', name: outcome.quota, code: 'PERMISSION_DENIED' }];
  return demands.flatMap(({ quota }, at) => {
    const granted = outcome.results[at]?.grantedAmount ?? 0;
    return granted > 0 ? [] : [{ by: 'quota', name: quota, code: 'RESOURCE_EXHAUSTED' } as const];
  });
}

/** One header carries the receipts of both: they have the same id, and are kept under different services. */
function ofDryRun(receipt: ReceiptUse | undefined): ReceiptUse | undefined {
  return receipt && { ...receipt, service: `${receipt.service} dry run` };
}
