import { type KindDefinition, meshKinds } from '../kind-definition.js';
import { createObjectRegexes } from '../policy/object-regexes.js';
import { checkRegex, createCheckMemo } from '../regex/check-regex.js';
import { DEFAULT_REGEX_LIMITS, type RegexLimits } from '../regex/regex-limits.js';
import { type ConsumerSpec, consumerSchema } from './consumer.js';
import { validateConsumer } from './consumer-rules.js';
import { type PlanSpec, planSchema } from './plan.js';
import { validatePlan } from './plan-rules.js';

/** The kinds of plans, of group `config.<mesh domain>`. */
export function createPlanKinds(
  meshDomain: string,
  limits: RegexLimits = DEFAULT_REGEX_LIMITS,
): readonly KindDefinition[] {
  const checkOne = createCheckMemo((text) => checkRegex(text, limits.expressionBytes));
  const shared = meshKinds('config', meshDomain, 'v1alpha2');
  const plan: KindDefinition<PlanSpec> = {
    ...shared,
    kind: 'Plan',
    plural: 'plans',
    schema: planSchema,
    validate: (spec) => validatePlan(spec, createObjectRegexes(checkOne, limits)),
  };
  const consumer: KindDefinition<ConsumerSpec> = {
    ...shared,
    kind: 'Consumer',
    plural: 'consumers',
    schema: consumerSchema,
    validate: validateConsumer,
  };
  return [plan, consumer] as readonly KindDefinition[];
}
