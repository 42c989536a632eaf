import type { Finding, FindingMetric } from '../../model/finding.js';
import { type AnalysisMessage, compareMessages, createMessage, identityOf } from './analysis-message.js';

const CONFLICTS: ReadonlySet<FindingMetric> = new Set([
  'nav_conflict_inbound_listener',
  'nav_conflict_outbound_listener_http_over_current_tcp',
  'nav_conflict_outbound_listener_tcp_over_current_http',
  'nav_conflict_outbound_listener_tcp_over_current_tcp',
]);

/** The listener conflicts among what generation found for the connected proxies, each once; sorted. */
export function listenerConflicts(findings: readonly Finding[]): readonly AnalysisMessage[] {
  const messages = new Map<string, AnalysisMessage>();
  for (const { metric, object, message } of findings) {
    if (!CONFLICTS.has(metric)) continue;
    const found = createMessage('listenerConflict', object === undefined ? {} : { object }, message);
    messages.set(identityOf(found), found);
  }
  return [...messages.values()].sort(compareMessages);
}
