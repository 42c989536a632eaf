import type { PrometheusParams } from '../../../../config/policy-rules/catalogue/params/prometheus.js';

type Buckets = NonNullable<PrometheusParams['metrics'][number]['buckets']>;

/** For seconds, from 5 ms to 10 s. */
const DEFAULT_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Upper bounds of the buckets. N finite buckets have N + 1 bounds: one more bucket is below them. */
export function bucketBounds(buckets: Buckets | undefined): readonly number[] {
  const { linearBuckets, exponentialBuckets, explicitBuckets } = buckets ?? {};
  if (explicitBuckets !== undefined) return explicitBuckets.bounds;
  if (linearBuckets !== undefined) {
    const { numFiniteBuckets, offset, width } = linearBuckets;
    return Array.from({ length: numFiniteBuckets + 1 }, (_, place) => offset + width * place);
  }
  if (exponentialBuckets !== undefined) {
    const { numFiniteBuckets, growthFactor, scale } = exponentialBuckets;
    return Array.from({ length: numFiniteBuckets + 1 }, (_, place) => scale * growthFactor ** place).filter(
      Number.isFinite,
    );
  }
  return DEFAULT_BOUNDS;
}
