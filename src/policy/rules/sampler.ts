import type { Clock } from '../../base/clock.js';
import { parseDuration } from '../../base/parse-duration.js';
import type { RuleSpec } from '../../config/policy-rules/rule.js';
import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { CompiledExpression } from '../../expressions/compile-expression.js';
import type { AttributeReader } from '../../expressions/expression-types.js';
import { valueText } from './value-text.js';

type Sampling = NonNullable<RuleSpec['sampling']>;

/** Whether a request that a rule matches is reported. */
export type Sampler = (bag: AttributeReader, meter: MatchMeter) => boolean;

export interface SamplerEnvironment {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

const DENOMINATORS = { HUNDRED: 100, TEN_THOUSAND: 10_000 } as const;

/**
 * Samples the reports of a rule. With both parts, a request is reported that both of them choose.
 *
 * @param compile for the expression of `random`
 * @throws ExpressionSyntaxError for an expression that validation rejects
 */
export function createSampler(
  { random, rateLimit }: Sampling,
  compile: (text: string) => CompiledExpression,
  environment: SamplerEnvironment,
): Sampler {
  const ofShare = random && createShareSampler(random, compile, environment.random);
  const ofWindow = rateLimit && createWindowSampler(rateLimit, environment.clock);
  // A request that the share leaves out does not count in the window.
  return (bag, meter) => (ofShare?.(bag, meter) ?? true) && (ofWindow?.() ?? true);
}

/** Equal texts get equal decisions. Without a text, and with independent randomness, each request gets its own. */
function createShareSampler(
  { percentSampled, attributeExpression, useIndependentRandomness }: NonNullable<Sampling['random']>,
  compile: (text: string) => CompiledExpression,
  random: () => number,
): Sampler {
  const { numerator, denominator } = percentSampled ?? { numerator: 0, denominator: 'HUNDRED' };
  const share = numerator / DENOMINATORS[denominator];
  const expression =
    attributeExpression === undefined || useIndependentRandomness ? undefined : compile(attributeExpression);
  return (bag, meter) => {
    const result = expression?.evaluate(bag, meter);
    const place = result === undefined || result.type === 'error' ? random() : placeOf(valueText(result.value));
    return place < share;
  };
}

/** All of the first requests of a window, then one of `samplingRate`. */
function createWindowSampler(
  { samplingDuration, maxUnsampledEntries, samplingRate }: NonNullable<Sampling['rateLimit']>,
  clock: Pick<Clock, 'monotonicMs'>,
): () => boolean {
  const windowMs = parseDuration(samplingDuration);
  let endMs = Number.NEGATIVE_INFINITY;
  let seen = 0;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= endMs) {
      endMs = nowMs + windowMs;
      seen = 0;
    }
    seen++;
    return seen <= maxUnsampledEntries || (seen - maxUnsampledEntries) % samplingRate === 0;
  };
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const RANGE = 2 ** 32;

/** A number in [0, 1) that is the same for equal texts in all policy servers: FNV-1a, with the last step of Murmur3. */
function placeOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / RANGE;
}
