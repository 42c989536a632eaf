import type { MemquotaParams } from '../../../config/policy-rules/catalogue/params/memquota.js';
import type { RedisquotaParams } from '../../../config/policy-rules/catalogue/params/redisquota.js';
import type { Instance } from '../instance.js';
import type { HandlerObject } from '../rule-objects.js';
import { memquotaAmounts } from './memquota.js';
import { createAmountFinder, type FoundAmount } from './quota-adapter.js';
import { redisquotaAmounts } from './redisquota.js';

/** The limit that a handler has for an instance; undefined: it has none, or only the running handler knows it. */
export function predictQuota({ spec, adapter }: HandlerObject, instance: Instance): FoundAmount | undefined {
  if (adapter.type === 'own') return undefined;
  switch (spec.compiledAdapter) {
    case 'memquota':
      return createAmountFinder(memquotaAmounts(spec.params as MemquotaParams))(instance);
    case 'redisquota':
      return createAmountFinder(redisquotaAmounts(spec.params as RedisquotaParams))(instance);
    default:
      return undefined;
  }
}
