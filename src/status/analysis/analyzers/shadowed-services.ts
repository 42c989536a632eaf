import { keyOf, type ObjectKey } from '../../../config/object.js';
import type { BoundService } from '../../../model/policy/bound-services.js';
import { isBoundBy, type ResolvedBinding } from '../../../model/policy/resolve-bindings.js';
import { matchesHost } from '../../../model/policy/service-pattern.js';
import type { SharedPort } from '../../../model/served-ports.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { allBindings } from '../binding-fields.js';

/**
 * Services whose policies do not hold at a port, because its workloads serve the port for an older service that leads
 * there too: what arrives does not say which of them it was sent to. Where clients check as well they hold, and so does
 * a spec that is bound to both.
 */
export const findShadowedServices: Analyzer = ({ bindings, sharedPorts, mesh }) => {
  if (sharedPorts.length === 0 || mesh.policy.enableClientSidePolicyCheck) return [];
  const all = allBindings(bindings).map(({ resolved }) => resolved);
  const isBound = (spec: ObjectKey, service: BoundService): boolean =>
    all.some((other) => other.references.some(({ key }) => key === spec) && isBoundBy(other, service));
  const lostSpecs = new Map<string, AnalysisMessage>();
  const lostBindings = all.flatMap((resolved) =>
    sharedPorts.flatMap((shared) => {
      const { namespace } = shared;
      const index = indexOfHost(resolved, shared.service);
      if (index === -1 || !resolved.actsOn(namespace)) return [];
      const lost = resolved.references.filter(({ key }) => !isBound(key, { hostname: shared.servedFor, namespace }));
      for (const { key } of lost) {
        const message = createMessage('shadowedService', { object: key }, textOf(shared));
        lostSpecs.set(`${key} ${message.message}`, message);
      }
      const where = { object: keyOf(resolved.binding), field: `spec.services[${index}]` };
      return lost.length === 0 ? [] : createMessage('shadowedService', where, textOf(shared));
    }),
  );
  return [...lostBindings, ...lostSpecs.values()];
};

function indexOfHost({ services }: ResolvedBinding, hostname: string): number {
  return services.findIndex(({ pattern }) => matchesHost(pattern, hostname));
}

function textOf({ port, service, servedFor }: SharedPort): string {
  return `port ${port} of the workloads of ${service} is served for ${servedFor}, an older service that leads there too: requests to either are checked by the policies of ${servedFor} alone`;
}
