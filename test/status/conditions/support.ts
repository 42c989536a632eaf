import { type AnalysisMessage, createMessage } from '../../../src/status/analysis/analysis-message.js';
import type { MessageName } from '../../../src/status/analysis/message-codes.js';
import type { ObjectFacts, Progress } from '../../../src/status/conditions/object-facts.js';
import { judgeObject } from '../../../src/status/conditions/object-status.js';

/** Three proxies that all have the object. */
export function progressOf(fields: Partial<Progress> = {}): Progress {
  const none = { policyServers: 0, ackedPolicyServers: 0, lagging: [], rejections: [] };
  return { proxies: 3, ackedProxies: 3, ...none, ...fields };
}

/** A valid QuotaSpec, generation 2. */
export function factsOf(fields: Partial<ObjectFacts> = {}): ObjectFacts {
  return {
    key: 'QuotaSpec/shop/books',
    generation: 2,
    servedGeneration: 2,
    refusals: [],
    isAnalyzed: true,
    messages: [],
    progress: progressOf(),
    ...fields,
  };
}

export function messageOf(name: MessageName, text: string, field?: string): AnalysisMessage {
  return createMessage(name, { object: 'QuotaSpec/shop/books', ...(field === undefined ? {} : { field }) }, text);
}

/** `Type=Status Reason: message`, one line for each condition; empty before the generation has been read. */
export function told(facts: ObjectFacts): readonly string[] {
  return (judgeObject(facts) ?? []).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );
}
