import { keyOf } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import { destinationsOf } from '../../traffic/destinations.js';
import type { VirtualServicePart } from '../../traffic/traffic-specs.js';

/** Destinations without a port at services that have several. */
export const destinationPorts: ObjectAnalyzer = {
  kinds: ['VirtualService'],
  find: (object, index) =>
    [...destinationsOf(object.body as VirtualServicePart)].flatMap(({ field, destination: { host = '', port } }) => {
      if (port?.number !== undefined) return [];
      const service = index.serviceOf(host, object.metadata.namespace);
      if (service === undefined || service.ports.length < 2) return [];
      const ports = service.ports.map(({ number }) => number).join(', ');
      const text = `the destination names no port, and ${service.hostname} has ${ports}`;
      return [createMessage('destinationWithoutPort', { object: keyOf(object), field }, text)];
    }),
};
