import type { Static } from 'typebox';
import * as Type from 'typebox';
import { validateDuration } from '../../../duration-rules.js';
import { durationField } from '../../../policy/attributes.js';
import type { Immutable } from '../../../schema/immutable.js';
import type { CompiledAdapter } from '../compiled-adapter.js';
import { OVERRIDE_FIELDS, overrides, QUOTA_FIELDS, quotaNames, quotas, repeatedQuotas } from './quotas.js';

const quotaSchema = Type.Object(
  {
    ...QUOTA_FIELDS,
    validDuration: durationField({ description: 'Length of the window.' }),
    overrides: overrides(
      Type.Object(
        {
          ...OVERRIDE_FIELDS,
          validDuration: Type.Optional(
            durationField({ description: 'Length of the window; default: that of the quota.' }),
          ),
        },
        { additionalProperties: false, description: 'Another amount.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'A quota.' },
);

const schema = Type.Object(
  {
    quotas: quotas(quotaSchema),
    minDeduplicationDuration: durationField({
      description: 'How long a repeated call is not counted again.',
      default: '1s',
    }),
  },
  { additionalProperties: false, description: 'Parameters of memquota.' },
);

export type MemquotaParams = Immutable<Static<typeof schema>>;

/** Counts quotas in the memory of one policy server. */
export const memquota: CompiledAdapter<MemquotaParams> = {
  name: 'memquota',
  templates: ['quota'],
  schema,
  *validate({ quotas, minDeduplicationDuration }) {
    yield* repeatedQuotas(quotas);
    for (const [index, { validDuration, overrides }] of quotas.entries()) {
      yield* validateDuration(`quotas[${index}].validDuration`, validDuration);
      for (const [at, override] of overrides.entries()) {
        yield* validateDuration(`quotas[${index}].overrides[${at}].validDuration`, override.validDuration);
      }
    }
    yield* validateDuration('minDeduplicationDuration', minDeduplicationDuration);
  },
  idle: ({ minDeduplicationDuration }) =>
    minDeduplicationDuration === '1s'
      ? []
      : [{ path: 'minDeduplicationDuration', reason: 'is not read: a request that a proxy repeats is counted once' }],
  instanceNames: ({ quotas }) => quotaNames(quotas),
};
