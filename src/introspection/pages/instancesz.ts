import type { Proxy, ServiceTarget } from '../../model/proxy.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { JsonRecord, type JsonSource, listOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page } from '../page.js';
import { requireContext } from '../require-context.js';

/** Node id to the proxy's own service instances (BEHAVIOUR 2). */
export const instancesz: Page = {
  path: '/debug/instancesz',
  description: 'The services that each connected proxy itself serves',
  audience: 'operator',
  handle: (views) => json(new JsonRecord(instancesByNode(views.connections(), requireContext(views)))),
};

function* instancesByNode(
  connections: readonly ProxyConnection[],
  context: PushContext,
): Generator<readonly [string, JsonSource]> {
  let previous: string | undefined;
  for (const { proxy } of sortConnections(connections)) {
    // A proxy that has just reconnected may be here twice; JSON keys must not be.
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
