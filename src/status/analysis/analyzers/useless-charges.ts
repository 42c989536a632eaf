import type { QuotaSpec } from '../../../config/policy/quota-spec.js';
import { checkServerOf } from '../../../model/policy/policy-servers.js';
import type { AnalysisInput, Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/**
 * Charges that do not do what quotas are for: of quotas that the policy server in this process has no limit for, so that
 * requests pass however many, and charges above the limit, so that no request ever passes.
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
          const message = `a request is charged ${charge} of quota ${quota}, which has ${limit} at most`;
          yield createMessage('chargeAboveLimit', { object, field: `${field}.charge` }, message);
        }
      }
    }
  }
}
