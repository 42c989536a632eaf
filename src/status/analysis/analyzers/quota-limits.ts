import type { QuotaSpec } from '../../../config/policy/quota-spec.js';
import { checkServerOf } from '../../../model/policy/policy-servers.js';
import type { AnalysisInput, Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/**
 * Charges of quotas for which the policy server in this process has no limit, so that every request passes, and charges
 * above the limit, so that no request passes.
 */
export const findUselessCharges: Analyzer = ({ objects, mesh, enforcement: { limitedQuotas } }) =>
  limitedQuotas === undefined || checkServerOf(mesh)?.type !== 'embedded'
    ? []
    : [...messagesOf(objects, limitedQuotas)];

function* messagesOf(
  objects: AnalysisInput['objects'],
  limits: ReadonlyMap<string, number>,
): Iterable<AnalysisMessage> {
  for (const [object, { body }] of objects.get('QuotaSpec') ?? []) {
    for (const [rule, { quotas }] of (body as QuotaSpec).rules.entries()) {
      for (const [index, { quota, charge }] of quotas.entries()) {
        if (quota === undefined || charge === 0) continue;
        const field = `spec.rules[${rule}].quotas[${index}]`;
        const limit = limits.get(quota);
        if (limit === undefined) {
          const message = `the policy server has no limit for quota ${quota}`;
          yield createMessage('unlimitedQuota', { object, field: `${field}.quota` }, message);
        } else if (charge > limit && limit > 0) {
          const message = `a request is charged ${charge} of quota ${quota}, whose limit is ${limit}`;
          yield createMessage('chargeAboveLimit', { object, field: `${field}.charge` }, message);
        }
      }
    }
  }
}

/** QuotaSpecs that admit more than their limits, because each replica of the policy server has its own counters. */
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
