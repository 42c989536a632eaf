import type { Steps } from '../../../base/steps.js';
import { planFieldViolations } from '../../../config/plans/plan-rules.js';
import { resolvedPlanSchema } from '../../../config/plans/resolved-plan.js';
import { createObjectRegexes } from '../../../config/policy/object-regexes.js';
import { checkRegex, createCheckMemo } from '../../../config/regex/check-regex.js';
import { createSchemaCompiler } from '../../../config/schema/schema-reader.js';
import { formatFinding } from '../../../config/violation.js';
import { type IndexedPlan, indexKeys } from '../../plans/index-keys.js';
import type { ConfigDecoder } from '../../wire/config-decoder.js';

/** Reads one plan in steps. @throws Error with the first problem */
export type PlanReader = (bytes: Buffer) => Steps<IndexedPlan>;

/**
 * Reads plans, checks them like YAML, and indexes their keys, so that no check waits for that.
 *
 * @param maxRegexBytes `expressionBytes` of the limits
 */
export function createPlanReader(decoder: Pick<ConfigDecoder, 'plan'>, maxRegexBytes?: number): PlanReader {
  const check = createCheckMemo((text) => checkRegex(text, maxRegexBytes));
  const schema = createSchemaCompiler().compile(resolvedPlanSchema, 'ignored');
  return function* (bytes) {
    const plan = yield* decoder.plan(bytes);
    // The decoder makes every hash itself, and a plan can have 50,000: the schema need not read them.
    const read = schema.read({ ...plan, consumers: plan.consumers.map(({ name }) => ({ name, keys: [] })) });
    const violations =
      read.type === 'valid' ? [...planFieldViolations(read.value, createObjectRegexes(check))] : read.violations;
    const [first] = violations;
    if (first === undefined && read.type === 'valid') {
      const { consumers } = plan;
      return { ...read.value, consumers, owners: yield* indexKeys(consumers) };
    }
    const others = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
    throw new Error(`${first === undefined ? 'is not valid' : formatFinding(first)}${others}`);
  };
}
