import { keyOf, type MeshObject } from '../../../../config/object.js';
import type { Protocol } from '../../../../model/service.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';
import type { GatewayPart, SelectingPart } from '../../traffic/traffic-specs.js';
import type { WorkloadGroup } from '../../traffic/workload-index.js';

const HTTP: ReadonlySet<Protocol> = new Set<Protocol>(['http', 'http2', 'grpc', 'grpc-web']);
const MAX_PORTS = 5;

/**
 * Ports of workloads with a RequestAuthentication that are not declared as HTTP: tokens are checked in HTTP requests
 * alone. Without a selector, only ports without any declared protocol count: a namespace may have databases too. Ports of
 * routers do not count: the servers of their Gateways decide what is HTTP.
 */
export const tokenPorts: ObjectAnalyzer = {
  kinds: ['RequestAuthentication'],
  find: (object, index) => {
    const { namespace } = object.metadata;
    const wanted = Object.entries((object.body as SelectingPart).selector?.matchLabels ?? {});
    const hasSelector = wanted.length > 0;
    const isOfRoot = namespace === index.mesh.rootNamespace;
    if (isOfRoot && !hasSelector) return [];
    const services = new Map<string, MeshObject>();
    for (const group of index.workloads.selected(isOfRoot ? undefined : namespace, wanted)) {
      if (isRouter(group, index)) continue;
      for (const service of group.services) services.set(keyOf(service), service);
    }
    const messages: AnalysisMessage[] = [];
    for (const [key, service] of services) {
      for (const { number, name, protocol } of index.serviceOfObject(service)?.ports ?? []) {
        if (HTTP.has(protocol) || protocol === 'udp' || (protocol !== 'auto' && !hasSelector)) continue;
        if (messages.length === MAX_PORTS) return messages;
        const text = `port ${number} (${name === '' ? 'without a name' : name}) of ${key} is not declared as HTTP, so tokens may not be checked there`;
        messages.push(createMessage('tokenPort', { object: keyOf(object) }, text));
      }
    }
    return messages;
  },
};

function isRouter({ labels }: WorkloadGroup, index: TrafficIndex): boolean {
  for (const { body } of index.objectsOf('Gateway')) {
    const selector = Object.entries((body as GatewayPart).selector ?? {});
    if (selector.length > 0 && selector.every(([key, value]) => labels[key] === value)) return true;
  }
  return false;
}
