import type { ServiceSpec } from '../../../../config/core/service.js';
import { keyOf } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { GatewayPart } from '../../traffic/traffic-specs.js';

/** Ports of Gateways that neither a Service nor a container of the selected workloads has: no caller reaches them. */
export const gatewayPorts: ObjectAnalyzer = {
  kinds: ['Gateway'],
  find: (object, index) => {
    const { selector = {}, servers = [] } = object.body as GatewayPart;
    const wanted = Object.entries(selector);
    if (wanted.length === 0) return [];
    const namespace = index.settings.isGatewayScopedToNamespace === true ? object.metadata.namespace : undefined;
    const workloads = index.workloads.selected(namespace, wanted);
    if (workloads.length === 0) return [];
    const served = new Set(
      workloads.flatMap(({ ports, services }) => [
        ...ports,
        ...services.flatMap(({ body }) => (body as { readonly spec: ServiceSpec }).spec.ports.map(({ port }) => port)),
      ]),
    );
    if (served.size === 0) return [];
    return servers.flatMap(({ port }, at) => {
      if (port?.number === undefined || served.has(port.number)) return [];
      const ports = [...served].sort((first, second) => first - second).join(', ');
      const text = `port ${port.number} is on no Service and no container of the workloads, which have ${ports}`;
      return [createMessage('gatewayPort', { object: keyOf(object), field: `spec.servers[${at}].port.number` }, text)];
    });
  },
};
