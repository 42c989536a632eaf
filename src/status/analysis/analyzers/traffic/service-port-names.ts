import { keyOf } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';

/** Ports of Services whose protocol the mesh has to detect. */
export const servicePortNames: ObjectAnalyzer = {
  kinds: ['Service'],
  find: (object, index) => {
    const { namespace } = object.metadata;
    if (!index.isInMesh(namespace)) return [];
    const ports = index.serviceOfObject(object)?.ports ?? [];
    return ports.flatMap(({ name, number, protocol }, at) => {
      if (protocol !== 'auto') return [];
      const text = `port ${number} has ${name === '' ? 'no name' : `the name ${name}`}, which tells no protocol, so proxies detect it`;
      return [createMessage('portName', { object: keyOf(object), field: `spec.ports[${at}].name` }, text)];
    });
  },
};
