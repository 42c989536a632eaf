import { keyOf } from '../../../config/object.js';
import { isBoundBy } from '../../../model/policy/resolve-bindings.js';
import type { Service } from '../../../model/service.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

interface Undeclared {
  readonly hostname: string;
  readonly namespace: string;
  /** As a person calls it. */
  readonly port: string;
}

/**
 * Ports that do not say what they speak, of services that quotas are bound to. Their proxies look at the first bytes of
 * a connection: a caller that begins with a line break, which servers skip, is taken for bytes, and charged once for a
 * connection of any number of requests.
 */
export const findUndeclaredProtocols: Analyzer = ({ services, bindings: { quotas } }) => {
  const undeclared = services.flatMap(undeclaredPorts);
  if (undeclared.length === 0) return [];
  return quotas.bindings.flatMap((resolved) => {
    const { binding } = resolved;
    const found = undeclared.filter((service) => isBoundBy(resolved, service));
    const [first] = found;
    if (first === undefined) return [];
    const others = found.length - 1;
    const also = others === 0 ? '' : `, and ${others} more port${others === 1 ? '' : 's'},`;
    const where = { object: keyOf(binding), field: 'spec.services' };
    return createMessage(
      'undeclaredProtocol',
      where,
      `port ${first.port} of ${first.hostname}${also} may speak anything: requests that are sent so that they do not look like HTTP are charged by connection`,
    );
  });
};

function undeclaredPorts({ hostname, namespace, ports }: Service): readonly Undeclared[] {
  return ports
    .filter(({ protocol }) => protocol === 'auto')
    .map(({ name, number }) => ({ hostname, namespace, port: name === '' ? String(number) : `${number} (${name})` }));
}
