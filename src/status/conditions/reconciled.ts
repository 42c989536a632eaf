import { appendTo } from '../../base/append-to.js';
import { isRuleKind } from '../../config/policy-rules/kind-names.js';
import type { AnalysisMessage } from '../analysis/analysis-message.js';
import { MESSAGE_CODES, type MessageName } from '../analysis/message-codes.js';
import type { ConditionStatus, JudgedCondition } from './condition.js';
import type { ObjectFacts, Progress, Rejection } from './object-facts.js';
import { REASONS } from './reasons.js';
import { joinSentences, listed, shorten } from './texts.js';

/**
 * The condition `Reconciled`: whether the object is in force. The message begins with the number of proxies that need
 * the object and have it, and continues with the reasons why the object is not in force.
 */
export function reconciledOf(
  { key, isAnalyzed, messages, progress, refusals }: ObjectFacts,
  accepted: JudgedCondition,
  resolvedRefs: JudgedCondition,
): JudgedCondition {
  if (accepted.status !== 'True') {
    const why = `not accepted: ${shorten(refusals[0]?.reason ?? '')}`;
    return reconciled('False', REASONS.notAccepted, joinSentences(count(0, progress?.proxies ?? 0), why));
  }
  const isRule = isRuleKind(key.slice(0, key.indexOf('/')));
  const counts = progress === undefined ? '' : countsOf(progress, isRule);
  const unenforced = NOT_ENFORCED.map((name) => find(messages, name)).find((found) => found !== undefined);
  if (unenforced !== undefined) {
    return reconciled('False', REASONS.notEnforced, joinSentences(counts, unenforced.message));
  }
  const unbound = find(messages, 'unboundSpec') ?? find(messages, 'unusedRuleObject');
  if (unbound !== undefined) return reconciled('False', REASONS.notBound, joinSentences(counts, unbound.message));
  const shadowed = messages.filter(({ code }) => code === MESSAGE_CODES.shadowedService.code);
  if (shadowed.length > 0) {
    const found = shadowed.map(({ message }) => message);
    return reconciled('False', REASONS.shadowed, joinSentences(counts, listed(found)));
  }
  const unusable = messages.filter(({ code }) => code === MESSAGE_CODES.unusableAnnotation.code);
  if (unusable.length > 0) {
    const found = unusable.map(({ field = '', message }) => `${field}: ${message}`);
    return reconciled('False', REASONS.unusableAnnotation, joinSentences(counts, listed(found)));
  }
  const unshared = find(messages, 'countersNotShared');
  if (unshared !== undefined) {
    return reconciled('False', REASONS.countersNotShared, joinSentences(counts, unshared.message));
  }
  const rejections = progress?.rejections ?? [];
  const unresolved = resolvedRefs.status === 'False' ? resolvedRefs.message : '';
  if (rejections.length > 0) {
    return reconciled('False', REASONS.rejected, joinSentences(counts, ...rejectionTexts(rejections), unresolved));
  }
  if (unresolved !== '') return reconciled('False', REASONS.refsNotResolved, joinSentences(counts, unresolved));
  if (progress === undefined) {
    const why = 'the state of the proxies is unknown: NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING is false';
    return reconciled('Unknown', REASONS.notTracked, joinSentences(why));
  }
  if (progress.lagging.length > 0) {
    const why = `not read yet by ${listed(progress.lagging)}`;
    return reconciled('False', REASONS.inProgress, joinSentences(counts, why));
  }
  if (!isComplete(progress)) return reconciled('False', REASONS.inProgress, counts);
  // A rule that only reports is in force without a proxy that asks because of it.
  const isNeeded = progress.proxies > 0 || (isRule && progress.policyServers > 0);
  // Without analyzers a missing binding looks like a binding whose services have no connected proxies.
  if (!isNeeded && !isAnalyzed) {
    return reconciled('Unknown', REASONS.notAnalyzed, joinSentences(counts, 'NAV_ENABLE_ANALYSIS is false'));
  }
  const where = isNeeded ? '' : 'no connected proxy needs it';
  const idle = idleFields(messages);
  if (idle !== undefined) return reconciled('True', REASONS.partlyIdle, joinSentences(counts, where, idle));
  return reconciled('True', isNeeded ? REASONS.upToDate : REASONS.noProxies, joinSentences(counts, where));
}

/** Messages of objects that have no effect because of settings, or that cannot run. */
const NOT_ENFORCED: readonly MessageName[] = [
  'policyNotEnforced',
  'peerAuthenticationOff',
  'rulesDecidedElsewhere',
  'handlerNotBuilt',
  'consumerWithoutKeys',
  'tooManyKeys',
];

function countsOf({ proxies, ackedProxies, policyServers, ackedPolicyServers }: Progress, isRule: boolean): string {
  const servers = `${ackedPolicyServers}/${policyServers} policy servers`;
  return joinSentences(
    count(ackedProxies, proxies),
    policyServers === 0 ? '' : isRule ? `in force at ${servers}` : `${servers} up to date`,
  );
}

function isComplete({ proxies, ackedProxies, policyServers, ackedPolicyServers }: Progress): boolean {
  return ackedProxies >= proxies && ackedPolicyServers >= policyServers;
}

function reconciled(status: ConditionStatus, reason: string, message: string): JudgedCondition {
  return { type: 'Reconciled', status, reason, message };
}

function count(acked: number, proxies: number): string {
  return `${acked}/${proxies} proxies up to date`;
}

function find(messages: readonly AnalysisMessage[], name: MessageName): AnalysisMessage | undefined {
  return messages.find(({ code }) => code === MESSAGE_CODES[name].code);
}

/** One text for each error, with the proxies that returned it, and the possible causes if there are several. */
function rejectionTexts(rejections: readonly Rejection[]): readonly string[] {
  const byText = new Map<string, Rejection[]>();
  for (const rejection of rejections) {
    const text = shorten(rejection.text);
    appendTo(byText, text, rejection);
  }
  const [first, ...more] = [...byText].map(([text, of]) => {
    const { type, others } = of[0] as Rejection;
    const proxies = listed([...new Set(of.map(({ proxy }) => proxy))].sort());
    const perhaps =
      others.length === 0 ? '' : ` (the cause is this object, or one that changed at the same time: ${listed(others)})`;
    return `${proxies} rejected it (${type}): ${text}${perhaps}`;
  });
  const rest = more.length === 0 ? '' : `and ${more.length} other rejections`;
  return [first ?? '', rest];
}

/** Codes of messages about a field or an item without effect, of an object that is in force. */
const IDLE: ReadonlySet<string> = new Set(
  (
    [
      'labelsWithoutWorkload',
      'policyInConflict',
      'redundantItem',
      'wrongProtocol',
      'externalService',
      'unknownAttribute',
      'lateAttribute',
      'impossibleCondition',
      'redundantMatch',
      'contradiction',
      'uniqueDimension',
      'chargesNothing',
      'noPatterns',
      'shadowedPattern',
      'generatesNothing',
      'impossiblePattern',
      'idleRuleField',
      'conflictingManifest',
      'ruleWithoutEffect',
      'unsupportedTemplate',
      'invalidExpression',
      'unusableRuleObject',
      'keyInUse',
      'planWithoutConsumers',
    ] as const satisfies readonly MessageName[]
  ).map((name) => MESSAGE_CODES[name].code),
);

/** The fields that have no effect, each with reason and remedy; undefined if there are none. */
function idleFields(messages: readonly AnalysisMessage[]): string | undefined {
  const idle = messages.filter(({ code }) => IDLE.has(code));
  if (idle.length === 0) return undefined;
  const found = idle.map(({ code, field = 'spec', message }) => `${field} (${code}): ${message}`);
  return `without effect: ${listed(found)}`;
}
