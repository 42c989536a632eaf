import { isDeepStrictEqual } from 'node:util';
import type { AnalysisMessage } from '../analysis/analysis-message.js';
import { acceptedOf } from './accepted.js';
import type { Condition, JudgedCondition, ObjectStatus, ValidationMessage } from './condition.js';
import type { ObjectFacts, Progress } from './object-facts.js';
import { REASONS } from './reasons.js';
import { reconciledOf } from './reconciled.js';
import { resolvedRefsOf } from './resolved-refs.js';
import { joinSentences, listed, shorten } from './texts.js';

/** The conditions of an object; undefined until the control plane has read this generation of it. */
export function judgeObject(facts: ObjectFacts): readonly JudgedCondition[] | undefined {
  const accepted = acceptedOf(facts);
  if (accepted === undefined) return undefined;
  const resolvedRefs = resolvedRefsOf(facts, accepted);
  return [accepted, resolvedRefs, withSettings(reconciledOf(facts, accepted, resolvedRefs), facts)];
}

/**
 * Settings of the mesh decide what an object does. While their present content is refused, the last good one decides.
 */
function withSettings(reconciled: JudgedCondition, { refusedSettings = [] }: ObjectFacts): JudgedCondition {
  if (refusedSettings.length === 0) return reconciled;
  const text = `settings are refused, so their last good content is in force: ${listed(refusedSettings)}`;
  return { ...reconciled, message: joinSentences(reconciled.message, text) };
}

/**
 * The conditions to write. A condition that did not change keeps its times; `lastTransitionTime` changes only with
 * `status`.
 *
 * @param previous the present conditions of the object, from any writer
 */
export function nextConditions(
  judged: readonly JudgedCondition[],
  observedGeneration: number,
  previous: readonly Condition[],
  now: Date,
): readonly Condition[] {
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z');
  return judged.map((condition) => {
    const { type, status, reason, message } = condition;
    const known = previous.find((each) => each.type === type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : time;
    const lastProbeTime = known?.lastProbeTime ?? time;
    const next = { type, status, observedGeneration, lastProbeTime, lastTransitionTime, reason, message };
    return isDeepStrictEqual(next, known) ? next : { ...next, lastProbeTime: time };
  });
}

/** Whether the object already has this status, so that no write is needed. */
export function isInPlace(desired: ObjectStatus, present: ObjectStatus): boolean {
  const { conditions = [], proxies, validationMessages = [] } = desired;
  return (
    (proxies === undefined || proxies === present.proxies) &&
    isDeepStrictEqual(validationMessages, present.validationMessages ?? []) &&
    conditions.every((condition) => isDeepStrictEqual(condition, findByType(present.conditions, condition.type)))
  );
}

/** Joins the parts of a status; undefined parts are absent. */
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

/** Reasons that follow from another condition, or that end by themselves. */
const NO_COMPLAINTS: ReadonlySet<string> = new Set([
  REASONS.notAccepted,
  REASONS.refsNotResolved,
  REASONS.inProgress,
  REASONS.notTracked,
  REASONS.notAnalyzed,
]);

/** The conditions that become Events: the object is rejected, has broken references, or is not in force. */
export function complaintsOf(judged: readonly JudgedCondition[]): readonly JudgedCondition[] {
  return judged.filter(({ status, reason }) => status === 'False' && !NO_COMPLAINTS.has(reason));
}

/** `status.proxies`: the number of proxies that have the object, short enough for a column of `kubectl get`. */
export function proxiesPhrase(progress: Progress | undefined): string {
  if (progress === undefined) return 'not tracked';
  const { proxies, ackedProxies, rejections } = progress;
  const rejecting = new Set(rejections.map(({ proxy }) => proxy)).size;
  const rejected = rejecting === 0 ? '' : `, ${rejecting} rejected`;
  return `${ackedProxies}/${proxies} up to date${rejected}`;
}

/** The maximum of the CRDs. */
const MAX_MESSAGES = 256;

/**
 * `status.validationMessages` of an object; undefined without messages. There is no `documentation_url`, because the
 * documentation has no public address.
 */
export function validationMessagesOf(messages: readonly AnalysisMessage[]): readonly ValidationMessage[] | undefined {
  if (messages.length === 0) return undefined;
  return messages.slice(0, MAX_MESSAGES).map(({ code, level, field, message }) => ({
    code,
    level,
    message: shorten(field === undefined ? message : `${field}: ${message}`),
  }));
}
