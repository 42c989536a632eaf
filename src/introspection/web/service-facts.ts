import type { ObjectKey } from '../../config/object.js';
import type { Endpoint } from '../../model/endpoint.js';
import type { PushContext } from '../../model/push-context.js';
import type { MutualTlsMode } from '../../model/security/mutual-tls.js';
import { modeOfPort } from '../../model/security/mutual-tls.js';
import type { Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import { compareText } from '../order.js';
import type { Referrers } from './object-references.js';

/** What pages show about the workloads of a service. */
export interface ServiceFacts {
  readonly service: Service;
  readonly endpoints: readonly Endpoint[];
  readonly healthy: number;
  /** Modes of the ports of its workloads, each once. Empty without workloads in the mesh. */
  readonly mutualTls: readonly MutualTlsMode[];
  /** VirtualServices, DestinationRules and bindings that name it. */
  readonly namedBy: readonly ObjectKey[];
  /** AuthorizationPolicies of its workloads. */
  readonly authorization: readonly ObjectKey[];
}

export function serviceFacts(context: PushContext, service: Service, referrers: Referrers): ServiceFacts {
  const endpoints = endpointsOfService(context, service).toSorted(
    (first, second) => compareText(first.address, second.address) || first.port - second.port,
  );
  const workloads = distinctWorkloads(endpoints);
  const modes = new Set<MutualTlsMode>();
  const authorization = new Set<ObjectKey>();
  for (const { namespace, labels, port } of workloads) {
    modes.add(modeOfPort(context.peerAuthentications.ofNamespace(namespace).ofWorkload(labels), port));
    for (const policy of context.authorizationPolicies.ofWorkload(namespace, labels).policies) {
      authorization.add(`AuthorizationPolicy/${policy.namespace}/${policy.name}`);
    }
  }
  return {
    service,
    endpoints,
    healthy: endpoints.filter(({ health }) => health === 'healthy').length,
    mutualTls: service.meshExternal ? [] : [...modes].sort(),
    namedBy: referrers.get(service.source) ?? [],
    authorization: [...authorization].sort(),
  };
}

/** The endpoints of all shards. */
export function endpointsOfService(context: PushContext, service: Service): readonly Endpoint[] {
  return [...(endpointsOf(context, service)?.shards.values() ?? [])].flat();
}

/** One endpoint for each set of labels and port: policies and modes select workloads by these. */
export function distinctWorkloads(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const distinct = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const { namespace, port, serviceAccount, labels } = endpoint;
    const id = JSON.stringify([namespace, port, serviceAccount, Object.entries(labels).sort()]);
    if (!distinct.has(id)) distinct.set(id, endpoint);
  }
  return [...distinct.values()];
}
