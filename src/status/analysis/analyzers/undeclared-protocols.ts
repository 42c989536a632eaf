import { keyOf } from '../../../config/object.js';
import { isBoundBy } from '../../../model/policy/resolve-bindings.js';
import type { Service } from '../../../model/service.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

interface Undeclared {
  readonly hostname: string;
  readonly namespace: string;
  /** Number and name: `80 (web)`. */
  readonly port: string;
}

/**
 * Ports without a declared protocol, of services with quotas. Proxies detect the protocol by the first bytes of a
 * connection. A caller can begin with a line break, which HTTP servers skip: the proxy then treats the connection as
 * TCP and charges it once, for any number of requests.
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
      `port ${first.port} of ${first.hostname}${also} declares no protocol: a caller can disguise HTTP requests as TCP, and is then charged once for each connection`,
    );
  });
};

function undeclaredPorts({ hostname, namespace, ports }: Service): readonly Undeclared[] {
  return ports
    .filter(({ protocol }) => protocol === 'auto')
    .map(({ name, number }) => ({ hostname, namespace, port: name === '' ? String(number) : `${number} (${name})` }));
}
