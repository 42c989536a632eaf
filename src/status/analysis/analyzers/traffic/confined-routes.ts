import { MESH_GATEWAY } from '../../../../config/networking/host-names.js';
import { keyOf, type MeshObject } from '../../../../config/object.js';
import { hostGuardReason } from '../../../../model/entries/guarded-hosts.js';
import { mayRouteAnyHost } from '../../../../model/traffic/virtual-services/virtual-service.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import { exportedNamespaces, isOfMesh, meshHostsOf, type TrafficIndex } from '../../traffic/traffic-index.js';

/**
 * VirtualServices that are exported to other namespaces and name hosts of other namespaces: with `virtualServiceScope:
 * GUARDED`, only callers of their own namespace use these routes (docs/virtual-services.md).
 */
export const confinedRoutes: ObjectAnalyzer = {
  kinds: ['VirtualService'],
  find: (object, index) => {
    const { namespace } = object.metadata;
    if (mayRouteAnyHost(object, index.mesh) || !isOfMesh(object)) return [];
    const others = [...exportedNamespaces(object, index)].filter((each) => each !== namespace);
    if (others.length === 0) return [];
    return meshHostsOf(object, index.domain).flatMap((host, at) => {
      const reason = foreignReason(host, namespace, index);
      return reason === undefined ? [] : [confined(object, at, `${host} ${reason}`)];
    });
  },
};

function confined(object: MeshObject, at: number, text: string): AnalysisMessage {
  const { namespace } = object.metadata;
  const so = `${text}, so only callers of namespace ${namespace} use these routes (gateway ${MESH_GATEWAY})`;
  return createMessage('confinedRoutes', { object: keyOf(object), field: `spec.hosts[${at}]` }, so);
}

/** Why other namespaces do not use routes of the host; undefined where they do. */
function foreignReason(host: string, own: string, index: TrafficIndex): string | undefined {
  const { servicesByHost, shadowedByHost, domain } = index;
  const service = servicesByHost.get(host);
  if (service === undefined) {
    if (host === '*') return undefined;
    return hostGuardReason(host, own, {
      domain,
      isNamespace: (name) => index.importable.has(name, '*', undefined),
      isService: (name, namespace) => servicesByHost.has(`${name}.${namespace}.svc.${domain}`),
    });
  }
  const isOwn = [service, ...(shadowedByHost.get(host) ?? [])].some(({ namespace }) => namespace === own);
  return isOwn ? undefined : `is a host of namespace ${service.namespace}`;
}
