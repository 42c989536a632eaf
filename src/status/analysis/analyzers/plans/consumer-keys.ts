import { keyOf } from '../../../../config/object.js';
import { type ConsumerKeys, consumerKeysOf } from '../../../../model/policy/plans/consumer-keys.js';
import type { ConsumerObject } from '../../../../model/policy/plans/plan-bindings.js';
import { MAX_PLAN_KEYS } from '../../../../model/policy/plans/resolved-plans.js';
import type { Analyzer } from '../../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';

/** Consumers without usable keys, or with keys of others. No message has a key or a hash. */
export const findUnusableKeys: Analyzer = ({ bindings: { plans }, apiKeySecrets }) => {
  const keysOf = (consumer: ConsumerObject): ConsumerKeys =>
    consumerKeysOf(consumer.body, consumer.metadata.namespace, apiKeySecrets);
  // A review is about one Consumer: only its keys matter, among up to 50,000 of the plan.
  const [first, ...others] = plans.consumers;
  const only = first === undefined || others.length > 0 ? undefined : first.consumer;
  return [
    ...plans.consumers.flatMap(({ consumer }) => keyProblems(consumer, keysOf(consumer))),
    ...plans.bindings.flatMap(({ binding }) => sharedKeys(plans.consumersOf(keyOf(binding)), keysOf, only)),
  ];
};

function keyProblems(consumer: ConsumerObject, { problems }: ConsumerKeys): readonly AnalysisMessage[] {
  const object = keyOf(consumer);
  if (consumer.body.keys.length === 0) {
    return [createMessage('consumerWithoutKeys', { object, field: 'spec.keys' }, 'spec.keys is empty')];
  }
  return problems.map(({ field, text, remedy }) => createMessage('unusableKeys', { object, field }, text, remedy));
}

/**
 * @param consumers of one plan, the oldest first
 * @param only the Consumer whose messages are needed; undefined for all
 */
function sharedKeys(
  consumers: readonly ConsumerObject[],
  keysOf: (consumer: ConsumerObject) => ConsumerKeys,
  only: ConsumerObject | undefined,
): readonly AnalysisMessage[] {
  const wanted = only && new Set(keysOf(only).keys);
  const owned = new Set<string>();
  const messages: AnalysisMessage[] = [];
  let count = 0;
  for (const consumer of consumers) {
    const where = { object: keyOf(consumer), field: 'spec.keys' };
    const { keys } = keysOf(consumer);
    count += keys.length;
    if (count > MAX_PLAN_KEYS) {
      messages.push(
        createMessage('tooManyKeys', where, `its keys are beyond the ${MAX_PLAN_KEYS} of older Consumers of the plan`),
      );
      continue;
    }
    const used = keys.filter((key) => owned.has(key)).length;
    // Without the name of the other one, which can be of another namespace.
    if (used > 0) {
      messages.push(createMessage('keyInUse', where, `an older Consumer of the plan has ${used} of its keys too`));
    }
    if (consumer === only) break;
    for (const key of keys) if (wanted === undefined || wanted.has(key)) owned.add(key);
  }
  return messages;
}
