import * as Type from 'typebox';
import { repeatedValues } from '../../../repeated-values.js';
import { stringMap } from '../../../schema/string-map.js';
import type { Violation } from '../../../violation.js';
import { reference, wholeNumber } from '../../fields.js';
import { RULE_LIMITS } from '../../limits.js';
import type { InstanceName } from '../compiled-adapter.js';

/** Fields that the quotas of `memquota` and `redisquota` share. */
export const QUOTA_FIELDS = {
  name: reference('The instance of the template quota that is counted.'),
  maxAmount: wholeNumber('Most that one combination of dimensions may use in validDuration.'),
} as const;

/** Fields that their overrides share. */
export const OVERRIDE_FIELDS = {
  dimensions: stringMap(Type.String({ maxLength: RULE_LIMITS.textLength }), {
    description: 'Values of dimensions, as texts. The override applies if all are equal.',
    default: {},
    maxProperties: RULE_LIMITS.quotaDimensions,
  }),
  maxAmount: wholeNumber('Most that one combination of dimensions may use.'),
} as const;

/** The overrides of a quota. */
export function overrides<Schema extends Type.TSchema>(schema: Schema) {
  return Type.Array(schema, {
    description: 'Other amounts for certain dimensions. The first override that applies counts.',
    default: [],
    maxItems: RULE_LIMITS.entries,
  });
}

/** The quotas of a handler. */
export function quotas<Schema extends Type.TSchema>(schema: Schema) {
  return Type.Array(schema, { description: 'The quotas.', default: [], maxItems: RULE_LIMITS.entries });
}

/** A repeated quota would never count. */
export function* repeatedQuotas(quotas: readonly { readonly name: string }[]): Iterable<Violation> {
  for (const { index, first } of repeatedValues(quotas.map(({ name }) => name))) {
    yield {
      path: `quotas[${index}].name`,
      value: quotas[index]?.name,
      message: `is also the name of quotas[${first}]`,
      remedy: 'remove one of the two',
    };
  }
}

export function quotaNames(quotas: readonly NamingQuota[]): readonly InstanceName[] {
  return quotas.map(({ name: reference, overrides }, index) => ({
    path: `quotas[${index}].name`,
    reference,
    dimensions: overrides.flatMap(({ dimensions }, at) =>
      Object.keys(dimensions).map((name) => ({
        path: `quotas[${index}].overrides[${at}].dimensions.${name}`,
        name,
        effect: 'the override never applies',
      })),
    ),
  }));
}

interface NamingQuota {
  readonly name: string;
  readonly overrides: readonly { readonly dimensions: Readonly<Record<string, unknown>> }[];
}
