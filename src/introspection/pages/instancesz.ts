import type { Proxy, ServiceTarget } from '../../model/proxy.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { JsonRecord, type JsonSource, listOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page } from '../page.js';
import { requireContext } from '../views.js';

/** The service instances of each workload, by node ID. */
export const instancesz: Page = {
  path: '/debug/instancesz',
  description: 'The services of the workload of each connected proxy',
  audience: 'operator',
  handle: (views) => json(new JsonRecord(instancesByNode(views.connections(), requireContext(views)))),
};

function* instancesByNode(
  connections: readonly ProxyConnection[],
  context: PushContext,
): Generator<readonly [string, JsonSource]> {
  let previous: string | undefined;
  for (const { proxy } of sortConnections(connections)) {
    // After a reconnect a proxy may have two connections, but a JSON key must be unique.
    if (proxy.id !== previous)
      yield [proxy.id, listOf(context.targetsOf(proxy), (target) => targetJson(proxy, target))];
    previous = proxy.id;
  }
}

function targetJson({ ipAddresses }: Proxy, { service, port, targetPort }: ServiceTarget): object {
  return {
    service: service.hostname,
    servicePort: port,
    endpoint: { address: ipAddresses[0], port: targetPort },
  };
}
