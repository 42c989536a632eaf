import type { QuotaSpec } from '../../../config/policy/quota-spec.js';
import { checkServerOf } from '../../../model/policy/policy-servers.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/** Quotas that rules charge and that the policy server in this process has no limit for: requests pass, however many. */
export const findUnlimitedQuotas: Analyzer = ({ objects, mesh, enforcement: { limitedQuotas } }) => {
  if (limitedQuotas === undefined || checkServerOf(mesh)?.type !== 'embedded') return [];
  return [...(objects.get('QuotaSpec') ?? [])].flatMap(([object, { body }]) =>
    (body as QuotaSpec).rules.flatMap(({ quotas }, rule) =>
      quotas.flatMap(({ quota }, index) =>
        limitedQuotas.has(quota)
          ? []
          : createMessage(
              'unlimitedQuota',
              { object, field: `spec.rules[${rule}].quotas[${index}].quota` },
              `the policy server has no limit for quota ${quota}`,
            ),
      ),
    ),
  );
};
