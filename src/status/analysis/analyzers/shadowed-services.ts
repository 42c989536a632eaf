import { keyOf, type ObjectKey } from '../../../config/object.js';
import type { BoundService } from '../../../model/policy/bound-services.js';
import { isBoundBy, type ResolvedBinding } from '../../../model/policy/resolve-bindings.js';
import { matchesHost } from '../../../model/policy/service-pattern.js';
import type { SharedPort } from '../../../model/served-ports.js';
import { type Analyzer, allBindings } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/**
 * Services whose policies do not apply at a port, because an older service leads to the same port of the workloads: a
 * request that arrives does not say to which service it was sent. Policies do apply if clients check requests, or if
 * the spec is bound to both services.
 */
export const findShadowedServices: Analyzer = ({ bindings, sharedPorts, mesh }) => {
  if (sharedPorts.length === 0 || mesh.policy.enableClientSidePolicyCheck) return [];
  const all = allBindings(bindings).map(({ resolved }) => resolved);
  const boundTo = createBoundSpecs(all);
  const ports = sharedPorts.map((shared) => {
    const { namespace, servedFor } = shared;
    return { shared, boundToOlder: boundTo({ hostname: servedFor, namespace }) };
  });
  const lostSpecs = new Map<string, AnalysisMessage>();
  const lostBindings = all.flatMap((resolved) =>
    ports.flatMap(({ shared, boundToOlder }) => {
      const index = indexOfHost(resolved, shared.service);
      if (index === -1 || !resolved.actsOn(shared.namespace)) return [];
      const lost = resolved.references.filter(({ key }) => !boundToOlder.has(key));
      if (lost.length === 0) return [];
      const text = shadowText(shared);
      for (const { key } of lost)
        lostSpecs.set(`${key} ${text}`, createMessage('shadowedService', { object: key }, text));
      return createMessage(
        'shadowedService',
        { object: keyOf(resolved.binding), field: `spec.services[${index}]` },
        text,
      );
    }),
  );
  return [...lostBindings, ...lostSpecs.values()];
};

/** The specs of all bindings that act on a service; found once for each service. */
function createBoundSpecs(all: readonly ResolvedBinding[]): (service: BoundService) => ReadonlySet<ObjectKey> {
  const known = new Map<string, ReadonlySet<ObjectKey>>();
  return (service) => {
    const id = `${service.namespace}/${service.hostname}`;
    const found =
      known.get(id) ??
      new Set(
        all
          .filter((resolved) => isBoundBy(resolved, service))
          .flatMap(({ references }) => references.map(({ key }) => key)),
      );
    known.set(id, found);
    return found;
  };
}

function indexOfHost({ services }: ResolvedBinding, hostname: string): number {
  return services.findIndex(({ pattern }) => matchesHost(pattern, hostname));
}

function shadowText({ port, service, servedFor }: SharedPort): string {
  return `port ${port} of the workloads of ${service} also belongs to the older service ${servedFor}: only the policies of ${servedFor} apply to requests to either service`;
}
