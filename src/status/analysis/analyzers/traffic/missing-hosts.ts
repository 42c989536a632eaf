import { resolveHost } from '../../../../config/networking/host-names.js';
import { keyOf, type MeshObject } from '../../../../config/object.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import { isOfMesh, type TrafficIndex } from '../../traffic/traffic-index.js';
import type { DestinationRulePart, VirtualServicePart } from '../../traffic/traffic-specs.js';

/**
 * Hosts of DestinationRules, and of VirtualServices of sidecars, that are names of the cluster and belong to no service:
 * a misspelled host has no effect. Hosts outside of the cluster need no service.
 */
export const missingHosts: ObjectAnalyzer = {
  kinds: ['DestinationRule', 'VirtualService'],
  find: (object, index) => {
    if (object.kind === 'DestinationRule') {
      return aboutHost(object, 'spec.host', (object.body as DestinationRulePart).host ?? '', index);
    }
    if (!isOfMesh(object)) return [];
    const { hosts = [] } = object.body as VirtualServicePart;
    return hosts.flatMap((host, at) => aboutHost(object, `spec.hosts[${at}]`, host, index));
  },
};

function aboutHost(object: MeshObject, field: string, host: string, index: TrafficIndex): readonly AnalysisMessage[] {
  const { namespace } = object.metadata;
  const hostname = resolveHost(host, namespace, index.domain);
  const isOfCluster = hostname.endsWith(`.svc.${index.domain}`) && !host.includes('*');
  if (host === '' || !isOfCluster || index.serviceOf(host, namespace) !== undefined) return [];
  return [createMessage('missingReference', { object: keyOf(object), field }, `there is no service ${hostname}`)];
}
