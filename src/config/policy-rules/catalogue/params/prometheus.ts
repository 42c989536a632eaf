import type { Static } from 'typebox';
import * as Type from 'typebox';
import { validateDuration } from '../../../duration-rules.js';
import { durationField } from '../../../policy/attributes.js';
import { exactlyOneOf } from '../../../policy/one-of.js';
import { repeatedValues } from '../../../repeated-values.js';
import type { Immutable } from '../../../schema/immutable.js';
import type { Violation } from '../../../violation.js';
import { optionalText, reference } from '../../fields.js';
import { RULE_LIMITS } from '../../limits.js';
import type { CompiledAdapter } from '../compiled-adapter.js';

const METRIC_NAME = '^[a-zA-Z_:][a-zA-Z0-9_:]*$';
const LABEL_NAME = '^[a-zA-Z_][a-zA-Z0-9_]*$';
/** Of a histogram: each is a time series for every combination of labels. */
const MAX_BUCKETS = 100;

const numFiniteBuckets = Type.Integer({ description: 'Number of buckets.', minimum: 1, maximum: MAX_BUCKETS });

const bucketsSchema = Type.Object(
  {
    linearBuckets: Type.Optional(
      Type.Object(
        {
          numFiniteBuckets,
          width: Type.Number({ description: 'Width of each bucket.' }),
          offset: Type.Number({ description: 'Lower bound of the first bucket.', default: 0 }),
        },
        { additionalProperties: false, description: 'Buckets of equal width.' },
      ),
    ),
    exponentialBuckets: Type.Optional(
      Type.Object(
        {
          numFiniteBuckets,
          growthFactor: Type.Number({ description: 'Upper bound of a bucket, in lower bounds.' }),
          scale: Type.Number({ description: 'Upper bound of the first bucket.' }),
        },
        { additionalProperties: false, description: 'Buckets that grow.' },
      ),
    ),
    explicitBuckets: Type.Optional(
      Type.Object(
        {
          bounds: Type.Array(Type.Number({ description: 'An upper bound.' }), {
            description: 'Upper bounds, each larger than the one before.',
            minItems: 1,
            maxItems: MAX_BUCKETS,
          }),
        },
        { additionalProperties: false, description: 'Buckets with these bounds.' },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'Buckets of a DISTRIBUTION.',
    oneOf: exactlyOneOf('linearBuckets', 'exponentialBuckets', 'explicitBuckets'),
  },
);

const metricSchema = Type.Object(
  {
    namespace: Type.Optional(
      Type.String({
        description: 'Prefix of the name; default: mesh.',
        maxLength: RULE_LIMITS.nameLength,
        pattern: `^$|${METRIC_NAME}`,
      }),
    ),
    name: Type.String({
      description: 'Name of the metric: letters, digits, underscores and colons.',
      minLength: 1,
      maxLength: RULE_LIMITS.nameLength,
      pattern: METRIC_NAME,
    }),
    instanceName: reference('The instance of the template metric with the values.'),
    description: optionalText('Help text of the metric.'),
    kind: Type.Enum(['GAUGE', 'COUNTER', 'DISTRIBUTION'], { description: 'Kind of the metric.' }),
    buckets: Type.Optional(bucketsSchema),
    labelNames: Type.Array(
      Type.String({
        description: 'A dimension of the instance: letters, digits and underscores.',
        maxLength: RULE_LIMITS.nameLength,
        pattern: LABEL_NAME,
      }),
      { description: 'Dimensions of the instance that become labels.', default: [], maxItems: RULE_LIMITS.labels },
    ),
  },
  { additionalProperties: false, description: 'A metric.' },
);

const schema = Type.Object(
  {
    metrics: Type.Array(metricSchema, { description: 'The metrics.', default: [], maxItems: RULE_LIMITS.entries }),
    metricsExpirationPolicy: Type.Optional(
      Type.Object(
        {
          metricsExpiryDuration: durationField({ description: 'How long a time series is kept that does not change.' }),
          expiryCheckIntervalDuration: Type.Optional(
            durationField({
              description: 'How often time series are removed; default: half of metricsExpiryDuration.',
            }),
          ),
        },
        { additionalProperties: false, description: 'When time series are removed; absent: never.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'Parameters of prometheus.' },
);

export type PrometheusParams = Immutable<Static<typeof schema>>;

type MetricParams = PrometheusParams['metrics'][number];

const DEFAULT_NAMESPACE = 'mesh';
/** Labels that policy servers add. */
const OWN_LABELS: ReadonlySet<string> = new Set(['mesh_handler', 'le']);

/** The name that a metric has for scrapers. */
export function metricNameOf({ namespace = '', name }: Pick<MetricParams, 'namespace' | 'name'>): string {
  return `${namespace === '' ? DEFAULT_NAMESPACE : namespace}_${name}`;
}

/** Makes metrics of instances. */
export const prometheus: CompiledAdapter<PrometheusParams> = {
  name: 'prometheus',
  templates: ['metric'],
  schema,
  *validate({ metrics, metricsExpirationPolicy }) {
    for (const { index, first } of repeatedValues(metrics.map(metricNameOf))) {
      const message = `is also the name of metrics[${first}]`;
      yield {
        path: `metrics[${index}].name`,
        value: metrics[index]?.name,
        message,
        remedy: 'give each metric a name of its own',
      };
    }
    for (const [index, metric] of metrics.entries()) yield* metricViolations(`metrics[${index}]`, metric);
    for (const field of ['metricsExpiryDuration', 'expiryCheckIntervalDuration'] as const) {
      yield* validateDuration(`metricsExpirationPolicy.${field}`, metricsExpirationPolicy?.[field]);
    }
  },
  instanceNames: ({ metrics }) =>
    metrics.map(({ instanceName, labelNames }, index) => ({
      path: `metrics[${index}].instanceName`,
      reference: instanceName,
      dimensions: labelNames.map((name, at) => ({
        path: `metrics[${index}].labelNames[${at}]`,
        name,
        effect: 'the label is always empty',
      })),
    })),
};

function* metricViolations(path: string, { kind, buckets, labelNames }: MetricParams): Iterable<Violation> {
  if (buckets !== undefined && kind !== 'DISTRIBUTION') {
    yield {
      path: `${path}.buckets`,
      message: `is set, but a ${kind} has no buckets`,
      remedy: 'remove it, or use DISTRIBUTION',
    };
  }
  for (const { index, first } of repeatedValues(labelNames)) {
    const value = labelNames[index];
    yield { path: `${path}.labelNames[${index}]`, value, message: `repeats labelNames[${first}]`, remedy: 'remove it' };
  }
  for (const [index, value] of labelNames.entries()) {
    if (!OWN_LABELS.has(value) && !value.startsWith('__')) continue;
    const message = 'is the name of a label that policy servers or scrapers add';
    yield { path: `${path}.labelNames[${index}]`, value, message, remedy: 'use another name' };
  }
  const { linearBuckets, exponentialBuckets, explicitBuckets } = buckets ?? {};
  yield* aboveMinimum(`${path}.buckets.linearBuckets.width`, linearBuckets?.width, 0);
  yield* aboveMinimum(`${path}.buckets.exponentialBuckets.growthFactor`, exponentialBuckets?.growthFactor, 1);
  yield* aboveMinimum(`${path}.buckets.exponentialBuckets.scale`, exponentialBuckets?.scale, 0);
  for (const [index, bound] of (explicitBuckets?.bounds ?? []).entries()) {
    const previous = explicitBuckets?.bounds[index - 1];
    if (previous === undefined || bound > previous) continue;
    const message = `is not above the bound before it (${previous})`;
    yield {
      path: `${path}.buckets.explicitBuckets.bounds[${index}]`,
      value: bound,
      message,
      remedy: 'sort the bounds',
    };
  }
}

function* aboveMinimum(path: string, value: number | undefined, limit: number): Iterable<Violation> {
  if (value === undefined || value > limit) return;
  yield { path, value, message: `is not above ${limit}`, remedy: `use a number above ${limit}` };
}
