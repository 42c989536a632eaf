import type { AnalysisMessage } from '../analysis/analysis-message.js';
import { MESSAGE_CODES, type MessageName } from '../analysis/message-codes.js';
import type { ConditionStatus, Verdict } from './condition.js';
import type { ObjectFacts, Progress, Rejection } from './object-facts.js';
import { REASONS } from './reasons.js';
import { joinSentences, listed, shorten } from './texts.js';

/**
 * Whether the object is in force, and where (BEHAVIOUR 8, "Status"). The message begins with how many of the proxies
 * that it concerns have it, and goes on with what keeps it from being in force.
 */
export function reconciledOf(
  { messages, progress, refusals }: ObjectFacts,
  accepted: Verdict,
  resolvedRefs: Verdict,
): Verdict {
  if (accepted.status !== 'True') {
    const why = `not accepted: ${shorten(refusals[0]?.reason ?? '')}`;
    return verdict('False', REASONS.notAccepted, joinSentences(count(0, progress?.proxies ?? 0), why));
  }
  const unenforced = find(messages, 'policyNotEnforced');
  const unbound = find(messages, 'unboundSpec');
  if (progress === undefined) {
    const why = 'what proxies have is not known: NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING is false';
    return verdict('Unknown', REASONS.notTracked, joinSentences(why, unenforced?.message ?? unbound?.message ?? ''));
  }
  const { proxies, ackedProxies, policyServers, ackedPolicyServers, lagging, rejections } = progress;
  const counts = joinSentences(
    count(ackedProxies, proxies),
    policyServers === 0 ? '' : `${ackedPolicyServers}/${policyServers} policy servers up to date`,
  );
  if (unenforced !== undefined) {
    return verdict('False', REASONS.notEnforced, joinSentences(counts, unenforced.message));
  }
  if (unbound !== undefined) return verdict('False', REASONS.notBound, joinSentences(counts, unbound.message));
  const shadowed = messages.filter(({ code }) => code === MESSAGE_CODES.shadowedService.code);
  if (shadowed.length > 0) {
    const found = shadowed.map(({ message }) => message);
    return verdict('False', REASONS.shadowed, joinSentences(counts, listed(found)));
  }
  if (rejections.length > 0) {
    return verdict('False', REASONS.rejected, joinSentences(counts, ...rejectionTexts(rejections)));
  }
  if (lagging.length > 0) {
    return verdict('False', REASONS.inProgress, joinSentences(counts, `${listed(lagging)}: not read there yet`));
  }
  // Everybody has it, and still it does not do what it says: the one line that people see must not hide that.
  const broken = resolvedRefs.status === 'False' ? resolvedRefs.message : '';
  if (!isComplete(progress)) return verdict('False', REASONS.inProgress, joinSentences(counts, broken));
  if (proxies === 0) {
    return verdict('True', REASONS.noProxies, joinSentences(counts, 'no proxy that it concerns is connected', broken));
  }
  return verdict('True', REASONS.upToDate, joinSentences(counts, broken));
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
