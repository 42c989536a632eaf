import type { QuotaSpec } from '../../../config/policy/quota-spec.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/** QuotaSpecs that admit more than their limits, because each replica of the policy server counts for itself. */
export const findUnsharedCounters: Analyzer = ({ objects, enforcement: { unsharedCounters, limitedQuotas } }) => {
  if (unsharedCounters === undefined) return [];
  const { host, replicas } = unsharedCounters;
  const text = `${replicas} replicas of ${host} count quotas in memory, each for itself, so they admit up to ${replicas} times each limit`;
  return [...(objects.get('QuotaSpec') ?? [])]
    .filter(([, { body }]) =>
      (body as QuotaSpec).rules.some(({ quotas }) =>
        quotas.some(({ quota, charge }) => charge > 0 && quota !== undefined && limitedQuotas?.has(quota) !== false),
      ),
    )
    .map(([object]) => createMessage('countersNotShared', { object }, text));
};
