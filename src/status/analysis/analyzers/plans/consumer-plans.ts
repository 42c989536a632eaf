import { keyOf } from '../../../../config/object.js';
import type { PlanSpec } from '../../../../config/plans/plan.js';
import { grantCommand } from '../../../../model/policy/binding-grants.js';
import type { Analyzer } from '../../analysis-input.js';
import { createMessage } from '../../analysis-message.js';

/** Consumers whose plan does not exist, or is of a namespace that does not grant them access. */
export const findMissingPlans: Analyzer = ({ bindings: { plans }, bindingGrants }) =>
  plans.consumers.flatMap(({ consumer, planKey, planNamespace, isGranted, plan }) => {
    const where = { object: keyOf(consumer), field: 'spec.plan' };
    if (plan !== undefined) return [];
    if (isGranted) return createMessage('missingReference', where, `${planKey} does not exist`);
    const { namespace: own } = consumer.metadata;
    // The same for plans that exist and plans that do not: other namespaces must not learn which exist.
    const text = `namespace ${planNamespace} does not let Consumers of ${own} use ${planKey}: run ${grantCommand(bindingGrants, planNamespace, own)}`;
    return createMessage('bindingNotGranted', where, text);
  });

/** Finds plans that admit no request, because no Consumer names them. */
export const findPlansWithoutConsumers: Analyzer = ({ bindings: { plans } }) =>
  plans.bindings.flatMap(({ binding, references }) => {
    const { anonymous } = binding.body as PlanSpec;
    if (references.length > 0 || anonymous !== 'never') return [];
    const text = 'no Consumer names it, and anonymous is never: it admits no request';
    return createMessage('planWithoutConsumers', { object: keyOf(binding) }, text);
  });
