import type { QuotaSpec } from '../../../config/policy/quota-spec.js';
import { checkServerOf } from '../../../model/policy/policy-servers.js';
import { countedQuotas } from '../../../model/policy/rules/counted-quotas.js';
import { compileRules } from '../../../model/policy/rules/rule-set.js';
import type { AnalysisInput, Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/**
 * Charges of quotas for which the policy server in this process has no limit and no rule, so that every request passes, and charges
 * above the limit, so that no request passes.
 */
export const findUselessCharges: Analyzer = (input) => {
  const { objects, mesh, enforcement } = input;
  const { limitedQuotas, expressionLanguage = 'legacy' } = enforcement;
  if (limitedQuotas === undefined || checkServerOf(mesh)?.type !== 'embedded') return [];
  return [...messagesOf(objects, limitedQuotas, countedQuotas(compileRules(input, expressionLanguage).rules))];
};

function* messagesOf(
  objects: AnalysisInput['objects'],
  limits: ReadonlyMap<string, number>,
  counted: ReadonlySet<string>,
): Iterable<AnalysisMessage> {
  for (const [object, { body }] of objects.get('QuotaSpec') ?? []) {
    for (const [rule, { quotas }] of (body as QuotaSpec).rules.entries()) {
      for (const [index, { quota, charge }] of quotas.entries()) {
        if (quota === undefined || charge === 0) continue;
        const field = `spec.rules[${rule}].quotas[${index}]`;
        const limit = limits.get(quota);
        if (limit === undefined && counted.has(quota)) continue;
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
