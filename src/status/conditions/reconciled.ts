import type { AnalysisMessage } from '../analysis/analysis-message.js';
import { MESSAGE_CODES, type MessageName } from '../analysis/message-codes.js';
import type { ConditionStatus, Verdict } from './condition.js';
import { idleFields } from './idle-fields.js';
import type { ObjectFacts, Progress, Rejection } from './object-facts.js';
import { REASONS } from './reasons.js';
import { joinSentences, listed, shorten } from './texts.js';

/**
 * Whether the object is in force, and where (BEHAVIOUR 8, "Status"). The message begins with how many of the proxies
 * that it concerns have it, and goes on with what keeps it from being in force.
 */
export function reconciledOf(
  { isAnalyzed, messages, progress, refusals }: ObjectFacts,
  accepted: Verdict,
  resolvedRefs: Verdict,
): Verdict {
  if (accepted.status !== 'True') {
    const why = `not accepted: ${shorten(refusals[0]?.reason ?? '')}`;
    return verdict('False', REASONS.notAccepted, joinSentences(count(0, progress?.proxies ?? 0), why));
  }
  const counts = progress === undefined ? '' : countsOf(progress);
  const unenforced = find(messages, 'policyNotEnforced') ?? find(messages, 'peerAuthenticationOff');
  if (unenforced !== undefined) {
    return verdict('False', REASONS.notEnforced, joinSentences(counts, unenforced.message));
  }
  const unbound = find(messages, 'unboundSpec');
  if (unbound !== undefined) return verdict('False', REASONS.notBound, joinSentences(counts, unbound.message));
  const shadowed = messages.filter(({ code }) => code === MESSAGE_CODES.shadowedService.code);
  if (shadowed.length > 0) {
    const found = shadowed.map(({ message }) => message);
    return verdict('False', REASONS.shadowed, joinSentences(counts, listed(found)));
  }
  const unusable = messages.filter(({ code }) => code === MESSAGE_CODES.unusableAnnotation.code);
  if (unusable.length > 0) {
    const found = unusable.map(({ field = '', message }) => `${field}: ${message}`);
    return verdict('False', REASONS.unusableAnnotation, joinSentences(counts, listed(found)));
  }
  const unshared = find(messages, 'countersNotShared');
  if (unshared !== undefined) {
    return verdict('False', REASONS.countersNotShared, joinSentences(counts, unshared.message));
  }
  const rejections = progress?.rejections ?? [];
  const unresolved = resolvedRefs.status === 'False' ? resolvedRefs.message : '';
  if (rejections.length > 0) {
    return verdict('False', REASONS.rejected, joinSentences(counts, ...rejectionTexts(rejections), unresolved));
  }
  if (unresolved !== '') return verdict('False', REASONS.refsNotResolved, joinSentences(counts, unresolved));
  if (progress === undefined) {
    const why = 'what proxies have is not known: NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING is false';
    return verdict('Unknown', REASONS.notTracked, joinSentences(why));
  }
  if (progress.lagging.length > 0) {
    const why = `${listed(progress.lagging)}: not read there yet`;
    return verdict('False', REASONS.inProgress, joinSentences(counts, why));
  }
  if (!isComplete(progress)) return verdict('False', REASONS.inProgress, counts);
  // Only an analyzer knows whether a binding is missing, or merely the proxies of its services.
  if (progress.proxies === 0 && !isAnalyzed) {
    return verdict('Unknown', REASONS.notAnalyzed, joinSentences(counts, 'NAV_ENABLE_ANALYSIS is false'));
  }
  const where = progress.proxies > 0 ? '' : 'no proxy that it concerns is connected';
  const idle = idleFields(messages);
  if (idle !== undefined) return verdict('True', REASONS.partlyIdle, joinSentences(counts, where, idle));
  return verdict('True', progress.proxies > 0 ? REASONS.upToDate : REASONS.noProxies, joinSentences(counts, where));
}

function countsOf({ proxies, ackedProxies, policyServers, ackedPolicyServers }: Progress): string {
  return joinSentences(
    count(ackedProxies, proxies),
    policyServers === 0 ? '' : `${ackedPolicyServers}/${policyServers} policy servers up to date`,
  );
}

function isComplete({ proxies, ackedProxies, policyServers, ackedPolicyServers }: Progress): boolean {
  return ackedProxies >= proxies && ackedPolicyServers >= policyServers;
}

function verdict(status: ConditionStatus, reason: string, message: string): Verdict {
  return { type: 'Reconciled', status, reason, message };
}

function count(acked: number, proxies: number): string {
  return `${acked}/${proxies} proxies up to date`;
}

function find(messages: readonly AnalysisMessage[], name: MessageName): AnalysisMessage | undefined {
  return messages.find(({ code }) => code === MESSAGE_CODES[name].code);
}

/** One text for each thing that was said, with who said it; the cause where it is not sure. */
function rejectionTexts(rejections: readonly Rejection[]): readonly string[] {
  const byText = new Map<string, Rejection[]>();
  for (const rejection of rejections) {
    const text = shorten(rejection.text);
    const known = byText.get(text);
    if (known === undefined) byText.set(text, [rejection]);
    else known.push(rejection);
  }
  const [first, ...more] = [...byText].map(([text, of]) => {
    const { type, others } = of[0] as Rejection;
    const who = listed([...new Set(of.map(({ proxy }) => proxy))].sort());
    const perhaps =
      others.length === 0 ? '' : ` (the cause is this object or one that changed with it: ${listed(others)})`;
    return `${who} rejected it (${type}): ${text}${perhaps}`;
  });
  const rest = more.length === 0 ? '' : `and ${more.length} other rejections`;
  return [first ?? '', rest];
}
