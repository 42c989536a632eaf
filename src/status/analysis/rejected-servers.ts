import type { Finding } from '../../model/finding.js';
import { type AnalysisMessage, createMessage, identityOf, sortMessages } from './analysis-message.js';
import { MESSAGE_CODES } from './message-codes.js';

/**
 * The servers of Gateways that connected routers cannot serve, among the findings of generation. Each appears once; sorted.
 *
 * @param known messages of the analysis, which finds most conflicts without a router
 */
export function rejectedServers(
  findings: readonly Finding[],
  known: Iterable<AnalysisMessage>,
): readonly AnalysisMessage[] {
  const { code } = MESSAGE_CODES.serverRejected;
  const told = new Set<string>();
  for (const { code: each, object, field } of known) if (each === code) told.add(`${object} ${field}`);
  const messages = new Map<string, AnalysisMessage>();
  for (const { metric, key, object, message } of findings) {
    if (metric !== 'nav_gateway_servers_rejected' || object === undefined || told.has(key)) continue;
    const field = key.slice(object.length + 1);
    const text = message.slice(`${object}: ${field} `.length);
    const found = createMessage('serverRejected', { object, field }, text);
    messages.set(identityOf(found), found);
  }
  return sortMessages([...messages.values()]);
}
