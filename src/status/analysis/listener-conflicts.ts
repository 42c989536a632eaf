import type { Finding, FindingMetric } from '../../model/finding.js';
import type { AnalysisInput } from './analysis-input.js';
import { type AnalysisMessage, createMessage, identityOf, sortMessages } from './analysis-message.js';
import { policiesInConflict } from './analyzers/conflicting-policies.js';

const CONFLICTS: ReadonlySet<FindingMetric> = new Set([
  'nav_conflict_inbound_listener',
  'nav_invalid_out_listeners',
  'nav_conflict_outbound_listener_http_over_current_tcp',
  'nav_conflict_outbound_listener_tcp_over_current_http',
  'nav_conflict_outbound_listener_tcp_over_current_tcp',
]);

/** The listener conflicts among the findings of generation for the connected proxies. Each appears once; sorted. */
export function listenerConflicts(findings: readonly Finding[]): readonly AnalysisMessage[] {
  const messages = new Map<string, AnalysisMessage>();
  for (const { metric, object, message } of findings) {
    if (!CONFLICTS.has(metric)) continue;
    const found = createMessage('listenerConflict', object === undefined ? {} : { object }, message);
    messages.set(identityOf(found), found);
  }
  return sortMessages([...messages.values()]);
}

/** Messages about the policies of services that lost their listener to an older service. */
export function policiesWithoutListener(
  { services, bindings }: Pick<AnalysisInput, 'services' | 'bindings'>,
  conflicts: readonly AnalysisMessage[],
): readonly AnalysisMessage[] {
  const sources = new Set(conflicts.map(({ object }) => object));
  if (sources.size === 0) return [];
  const lost = services.filter(({ source }) => sources.has(source));
  return policiesInConflict(
    bindings,
    lost.map((service) => ({
      service,
      text: `an older service has the address and port of ${service.hostname} (see MESH0401 of ${service.source})`,
    })),
  );
}
