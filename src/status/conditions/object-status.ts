import { isDeepStrictEqual } from 'node:util';
import { acceptedOf } from './accepted.js';
import type { Condition, ObjectStatus, ValidationMessage, Verdict } from './condition.js';
import type { ObjectFacts } from './object-facts.js';
import { reconciledOf } from './reconciled.js';
import { resolvedRefsOf } from './resolved-refs.js';
import { joinSentences, listed } from './texts.js';

/** What the facts say about an object; undefined while the control plane has not read this generation of it. */
export function judgeObject(facts: ObjectFacts): readonly Verdict[] | undefined {
  const accepted = acceptedOf(facts);
  if (accepted === undefined) return undefined;
  const resolvedRefs = resolvedRefsOf(facts, accepted);
  return [accepted, resolvedRefs, withSettings(reconciledOf(facts, accepted, resolvedRefs), facts)];
}

/** Objects act by the settings of the mesh: while these are refused, the older ones say what an object does. */
function withSettings(reconciled: Verdict, { refusedSettings = [] }: ObjectFacts): Verdict {
  if (refusedSettings.length === 0) return reconciled;
  const told = `settings are refused, so their last good content is in force: ${listed(refusedSettings)}`;
  return { ...reconciled, message: joinSentences(reconciled.message, told) };
}

/**
 * The conditions to write. What did not change is taken over as it is, with its times; `lastTransitionTime` goes on
 * while `status` does.
 *
 * @param previous as the object has them now, by whomever
 */
export function nextConditions(
  verdicts: readonly Verdict[],
  observedGeneration: number,
  previous: readonly Condition[],
  now: Date,
): readonly Condition[] {
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z');
  return verdicts.map((verdict) => {
    const { type, status, reason, message } = verdict;
    const known = previous.find((condition) => condition.type === type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : time;
    const lastProbeTime = known?.lastProbeTime ?? time;
    const next = { type, status, observedGeneration, lastProbeTime, lastTransitionTime, reason, message };
    return isDeepStrictEqual(next, known) ? next : { ...next, lastProbeTime: time };
  });
}

/** Whether the object has exactly this status of ours already, so that nothing is to be written. */
export function isInPlace(desired: ObjectStatus, present: ObjectStatus): boolean {
  const { conditions = [], proxies, validationMessages = [] } = desired;
  return (
    (proxies === undefined || proxies === present.proxies) &&
    isDeepStrictEqual(validationMessages, present.validationMessages ?? []) &&
    conditions.every((condition) => isDeepStrictEqual(condition, findByType(present.conditions, condition.type)))
  );
}

/** A status made of its parts; what is not there is absent. */
export function objectStatus(
  reconciliation: Required<Pick<ObjectStatus, 'conditions' | 'proxies'>> | undefined,
  validationMessages: readonly ValidationMessage[] | undefined,
): ObjectStatus {
  return {
    ...reconciliation,
    ...(validationMessages === undefined ? {} : { validationMessages }),
  };
}

function findByType(conditions: readonly Condition[] = [], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}
