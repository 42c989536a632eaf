import type { Static } from 'typebox';
import * as Type from 'typebox';
import { parseDuration } from '../../../../base/parse-duration.js';
import { validateDuration } from '../../../duration-rules.js';
import { durationField } from '../../../policy/attributes.js';
import { parseRedisAddress } from '../../../policy-server/redis-address.js';
import { isHostAndPort } from '../../../primitives.js';
import type { Immutable } from '../../../schema/immutable.js';
import type { Violation } from '../../../violation.js';
import { text, wholeNumber } from '../../fields.js';
import type { CompiledAdapter } from '../compiled-adapter.js';
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

/** Counts quotas in a Redis that policy servers share. */
export const redisquota: CompiledAdapter<RedisquotaParams> = {
  name: 'redisquota',
  templates: ['quota'],
  schema,
  *validate({ quotas, redisServerUrl }) {
    if (!isHostAndPort(redisServerUrl) && parseRedisAddress(redisServerUrl) === undefined) {
      const remedy = 'use for example redis.shop:6379, or rediss://redis.shop:6380';
      // Not the value: it may hold a password.
      yield { path: 'redisServerUrl', message: 'is not the address of a Redis server', remedy };
    }
    yield* repeatedQuotas(quotas);
    for (const [index, quota] of quotas.entries()) yield* windowViolations(`quotas[${index}]`, quota);
  },
  idle: ({ connectionPoolSize }) =>
    connectionPoolSize === undefined
      ? []
      : [
          {
            path: 'connectionPoolSize',
            reason: 'is not needed: one connection sends commands without waiting for answers',
          },
        ],
  instanceNames: ({ quotas }) => quotaNames(quotas),
};

function* windowViolations(
  path: string,
  { validDuration, bucketDuration, rateLimitAlgorithm }: RedisquotaParams['quotas'][number],
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
