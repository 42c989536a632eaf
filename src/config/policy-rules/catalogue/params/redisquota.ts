import type { Static } from 'typebox';
import * as Type from 'typebox';
import { parseDuration } from '../../../../base/parse-duration.js';
import { validateDuration } from '../../../duration-rules.js';
import { durationField } from '../../../policy/attributes.js';
import type { RedisAddress } from '../../../policy-server/policy-server-config.js';
import { parseRedisAddress } from '../../../policy-server/redis-address.js';
import { isHostAndPort } from '../../../primitives.js';
import type { Immutable } from '../../../schema/immutable.js';
import type { Violation } from '../../../violation.js';
import { text, wholeNumber } from '../../fields.js';
import type { CompiledAdapter, IdleParameter } from '../compiled-adapter.js';
import { OVERRIDE_FIELDS, overrides, QUOTA_FIELDS, quotaNames, quotas, repeatedQuotas } from './quotas.js';

const quotaSchema = Type.Object(
  {
    ...QUOTA_FIELDS,
    validDuration: durationField({ description: 'Length of the window.' }),
    bucketDuration: Type.Optional(
      durationField({ description: 'Length of a step of a rolling window, shorter than validDuration.' }),
    ),
    rateLimitAlgorithm: Type.Enum(['FIXED_WINDOW', 'ROLLING_WINDOW'], {
      description: 'Whether windows follow one another, or the window ends now.',
      default: 'FIXED_WINDOW',
    }),
    overrides: overrides(Type.Object(OVERRIDE_FIELDS, { additionalProperties: false, description: 'Another amount.' })),
  },
  { additionalProperties: false, description: 'A quota.' },
);

const schema = Type.Object(
  {
    quotas: quotas(quotaSchema),
    redisServerUrl: text('The Redis server: host:port, or redis://host:port, or rediss://host:port for TLS.'),
    connectionPoolSize: Type.Optional(wholeNumber('Connections to Redis.')),
  },
  { additionalProperties: false, description: 'Parameters of redisquota.' },
);

export type RedisquotaParams = Immutable<Static<typeof schema>>;

type QuotaParams = RedisquotaParams['quotas'][number];

const POOL: IdleParameter = {
  path: 'connectionPoolSize',
  reason: 'is not needed: one connection sends commands without waiting for answers',
};

/** Counting a request costs more with each step of its window. */
const MAX_STEPS = 100;

/** The Redis of the parameters; undefined for another text. */
export function redisAddressOf(redisServerUrl: string): RedisAddress | undefined {
  return parseRedisAddress(isHostAndPort(redisServerUrl) ? `redis://${redisServerUrl}` : redisServerUrl);
}

/** Steps of a rolling window, none longer than bucketDuration; undefined if it is not set. */
export function rollingSteps({
  validDuration,
  bucketDuration,
}: Pick<QuotaParams, 'validDuration' | 'bucketDuration'>): number | undefined {
  if (bucketDuration === undefined) return undefined;
  return Math.min(MAX_STEPS, stepsOf(validDuration, bucketDuration));
}

function stepsOf(validDuration: string, bucketDuration: string): number {
  return Math.ceil(parseDuration(validDuration) / parseDuration(bucketDuration));
}

/** Counts quotas in a Redis that policy servers share. */
export const redisquota: CompiledAdapter<RedisquotaParams> = {
  name: 'redisquota',
  templates: ['quota'],
  schema,
  *validate({ quotas, redisServerUrl }) {
    if (redisAddressOf(redisServerUrl) === undefined) {
      const remedy = 'use for example redis.shop:6379, or rediss://redis.shop:6380';
      // Not the value: it may hold a password.
      yield { path: 'redisServerUrl', message: 'is not the address of a Redis server', remedy };
    }
    yield* repeatedQuotas(quotas);
    for (const [index, quota] of quotas.entries()) yield* windowViolations(`quotas[${index}]`, quota);
  },
  idle: ({ connectionPoolSize, quotas }) => [
    ...(connectionPoolSize === undefined ? [] : [POOL]),
    ...quotas.flatMap((quota, index) => idleBuckets(`quotas[${index}].bucketDuration`, quota)),
  ],
  instanceNames: ({ quotas }) => quotaNames(quotas),
};

function idleBuckets(
  path: string,
  { bucketDuration, rateLimitAlgorithm, validDuration }: QuotaParams,
): readonly IdleParameter[] {
  if (bucketDuration === undefined) return [];
  if (rateLimitAlgorithm === 'FIXED_WINDOW') return [{ path, reason: 'has no effect on a FIXED_WINDOW' }];
  if (stepsOf(validDuration, bucketDuration) <= MAX_STEPS) return [];
  return [{ path, reason: `is longer in effect: a window has at most ${MAX_STEPS} steps` }];
}

function* windowViolations(
  path: string,
  { validDuration, bucketDuration, rateLimitAlgorithm }: QuotaParams,
): Iterable<Violation> {
  const durations = [
    ...validateDuration(`${path}.validDuration`, validDuration),
    ...validateDuration(`${path}.bucketDuration`, bucketDuration),
  ];
  yield* durations;
  if (bucketDuration === undefined || durations.length > 0) return;
  if (rateLimitAlgorithm === 'ROLLING_WINDOW' && parseDuration(bucketDuration) >= parseDuration(validDuration)) {
    yield {
      path: `${path}.bucketDuration`,
      value: bucketDuration,
      message: `is not shorter than validDuration (${validDuration})`,
      remedy: 'make it shorter',
    };
  }
}
