import { keyOf, type ObjectKey } from '../../../config/object.js';
import type { PolicyBindings } from '../../../model/policy/policy-bindings.js';
import { matchesHost } from '../../../model/policy/service-pattern.js';
import type { Service } from '../../../model/service.js';
import { type Analyzer, allBindings } from '../analysis-input.js';
import { type AnalysisMessage, createMessage, identityOf } from '../analysis-message.js';

/** A service that loses requests to another service. */
interface LostRequests {
  readonly service: Pick<Service, 'hostname' | 'namespace'>;
  readonly text: string;
}

/** Messages of one analysis. Further messages add no information. */
const MAX_MESSAGES = 1000;

/** Bindings and specs whose services lose requests to other services, whose policies then apply. */
export function policiesInConflict(
  bindings: PolicyBindings,
  conflicts: readonly LostRequests[],
): readonly AnalysisMessage[] {
  if (conflicts.length === 0) return [];
  const messages = new Map<string, AnalysisMessage>();
  const tell = (object: ObjectKey, field: string | undefined, text: string): void => {
    const where = field === undefined ? { object } : { object, field };
    const message = createMessage('policyInConflict', where, text);
    if (messages.size < MAX_MESSAGES) messages.set(identityOf(message), message);
  };
  for (const { resolved } of allBindings(bindings)) {
    for (const { service, text } of conflicts) {
      const index = resolved.services.findIndex(({ pattern }) => matchesHost(pattern, service.hostname));
      if (index === -1 || !resolved.actsOn(service.namespace)) continue;
      tell(keyOf(resolved.binding), `spec.services[${index}]`, text);
      for (const { key, spec } of resolved.references) if (spec !== undefined) tell(key, undefined, text);
    }
  }
  return [...messages.values()];
}

/** Policies of the services that lose requests over a cluster IP or a host. */
export const findConflictingPolicies: Analyzer = ({ bindings, serviceConflicts }) =>
  policiesInConflict(bindings, serviceConflicts);
