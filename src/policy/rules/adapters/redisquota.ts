import { parseDuration } from '../../../base/parse-duration.js';
import {
  type RedisquotaParams,
  redisAddressOf,
  rollingSteps,
} from '../../../config/policy-rules/catalogue/params/redisquota.js';
import { type WindowShape, windowShape } from '../../quota/window-shape.js';
import type { Adapter, HandlerEnvironment } from './adapter.js';
import { type CountedQuota, createQuotaAdapter } from './quota-adapter.js';

/** Longest time of a charge. After it the fail policy decides. */
const TIMEOUT_MS = 500;

/**
 * Counts in the Redis of the parameters, exactly for all policy servers together. Handlers never share counters.
 *
 * @throws Error when the namespace of the handler has too many connections
 */
export function buildRedisquota(params: RedisquotaParams, environment: HandlerEnvironment): Adapter {
  const { handler, openStore, resources } = environment;
  const address = redisAddressOf(params.redisServerUrl);
  if (address === undefined) throw new Error('params.redisServerUrl is not the address of a Redis server');
  const endConnection = resources.connection();
  const store = openStore(
    { type: 'redis', address, keyPrefix: `navigator:${handler}`, timeoutMs: TIMEOUT_MS },
    handler,
  );
  return createQuotaAdapter(
    redisquotaAmounts(params),
    {
      charge: store.charge,
      close: async () => {
        await store.close();
        endConnection();
      },
    },
    TIMEOUT_MS,
  );
}

export function redisquotaAmounts({ quotas }: RedisquotaParams): readonly CountedQuota[] {
  return quotas.map(({ overrides, ...quota }) => {
    const shape = shapeOf(quota);
    return {
      name: quota.name,
      maxAmount: quota.maxAmount,
      shape,
      overrides: overrides.map((override) => ({ ...override, shape })),
    };
  });
}

function shapeOf(quota: Omit<RedisquotaParams['quotas'][number], 'overrides'>): WindowShape {
  const durationMs = Math.max(1, Math.round(parseDuration(quota.validDuration)));
  if (quota.rateLimitAlgorithm === 'FIXED_WINDOW') return windowShape('fixed', durationMs);
  const steps = rollingSteps(quota);
  if (steps === undefined) return windowShape('rolling', durationMs);
  return { durationMs, divisions: steps, carried: steps };
}
