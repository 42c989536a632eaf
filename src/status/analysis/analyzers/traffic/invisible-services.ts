import { keyOf, type MeshObject } from '../../../../config/object.js';
import type { Service } from '../../../../model/service.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import { destinationsOf } from '../../traffic/destinations.js';
import { exportedNamespaces, isOfMesh, type TrafficIndex } from '../../traffic/traffic-index.js';
import type { DestinationRulePart, VirtualServicePart } from '../../traffic/traffic-specs.js';

/**
 * Objects that name a service that the proxies they concern do not see, because its exportTo leaves them out. A
 * DestinationRule concerns the clients of its own namespace, unless it is in the namespace of the service or in the root
 * namespace. Which proxies a VirtualService of a gateway concerns depends on the namespace of the router; those are left out.
 */
export const invisibleServices: ObjectAnalyzer = {
  kinds: ['DestinationRule', 'VirtualService'],
  find: (object, index) => (object.kind === 'DestinationRule' ? aboutRule(object, index) : aboutRoutes(object, index)),
};

function aboutRule(object: MeshObject, index: TrafficIndex): readonly AnalysisMessage[] {
  const { namespace } = object.metadata;
  const service = index.serviceOf((object.body as DestinationRulePart).host ?? '', namespace);
  const { rootNamespace } = index.mesh;
  if (service === undefined || namespace === rootNamespace || isSeenBy(service, [namespace], index)) return [];
  return [message(object, 'spec.host', service, `clients of namespace ${namespace} do not see it`)];
}

function aboutRoutes(object: MeshObject, index: TrafficIndex): readonly AnalysisMessage[] {
  const spec = object.body as VirtualServicePart;
  if (!isOfMesh(object) || (spec.gateways ?? []).length > 1) return [];
  const { namespace } = object.metadata;
  const callers = [...exportedNamespaces(object, index)];
  if (callers.includes('*')) return [];
  return [...destinationsOf(spec)].flatMap(({ field, destination: { host = '' } }) => {
    const service = index.serviceOf(host, namespace);
    if (service === undefined || isSeenBy(service, callers, index)) return [];
    const text = `callers of namespace ${callers.join(', ')} do not see it, so their requests fail`;
    return [message(object, `${field}.host`, service, text)];
  });
}

/** Whether one of the namespaces sees the service, or another service of its host. */
function isSeenBy(service: Service, namespaces: readonly string[], { shadowedByHost }: TrafficIndex): boolean {
  return [service, ...(shadowedByHost.get(service.hostname) ?? [])].some(({ exportTo, namespace: own }) =>
    exportTo.some((each) => each === '*' || namespaces.includes(each === '.' ? own : each)),
  );
}

function message(object: MeshObject, field: string, service: Service, text: string): AnalysisMessage {
  const { hostname, namespace, exportTo } = service;
  const stated = `${hostname} of namespace ${namespace} is exported to ${exportTo.join(', ')} only`;
  return createMessage('invisibleService', { object: keyOf(object), field }, `${stated}: ${text}`);
}
