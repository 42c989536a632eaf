import type { Endpoint } from '../../model/endpoint.js';
import type { PushContext } from '../../model/push-context.js';
import type { Port, Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import { JsonList, type JsonSource, recordOf } from '../json-source.js';
import { compareText } from '../order.js';
import { json, type Page } from '../page.js';
import { requireContext } from '../views.js';
import { endpointJson, everyService } from './service-json.js';

/**
 * Array of {svc: "host:port", ep: [instances…, {}]}, with an empty object at its end; with `brief` (any value) one text
 * line per instance.
 */
export const endpointz: Page = {
  path: '/debug/endpointz',
  description: 'Endpoints of every service port; brief=true shows one line of text per endpoint',
  audience: 'operator',
  parameters: [{ name: 'brief', required: false, choice: { type: 'value', value: 'true' } }],
  handle: (views, { query }) => {
    const context = requireContext(views);
    if (query.get('brief')) return { type: 'lines', lines: briefLines(context) };
    return json(new JsonList(servicePorts(context)));
  },
};

function* servicePorts(context: PushContext): Generator<JsonSource> {
  for (const service of everyService(context)) {
    for (const port of service.ports) {
      yield recordOf({
        svc: `${service.hostname}:${port.number}`,
        ep: new JsonList(instances(context, service, port)),
      });
    }
  }
  yield {};
}

function* instances(context: PushContext, service: Service, port: Port): Generator<JsonSource> {
  for (const endpoint of endpointsOfPort(context, service, port)) {
    yield { service: service.hostname, servicePort: port, endpoint: endpointJson(endpoint) };
  }
  yield {};
}

function* briefLines(context: PushContext): Generator<string> {
  for (const service of everyService(context)) {
    for (const port of service.ports) {
      for (const endpoint of endpointsOfPort(context, service, port)) {
        const labels = Object.entries(endpoint.labels).map(([key, value]) => `${key}=${value}`);
        const address = endpoint.address.includes(':') ? `[${endpoint.address}]` : endpoint.address;
        yield `${service.hostname}:${port.name} ${address}:${endpoint.port} {${labels.sort().join(',')}} ${endpoint.serviceAccount}\n`;
      }
    }
  }
}

function endpointsOfPort(context: PushContext, service: Service, port: Port): readonly Endpoint[] {
  const shards = endpointsOf(context, service)?.shards ?? new Map<string, readonly Endpoint[]>();
  return [...shards]
    .toSorted(([first], [second]) => compareText(first, second))
    .flatMap(([, endpoints]) => endpoints.filter((endpoint) => endpoint.portName === port.name))
    .toSorted((first, second) => compareText(first.address, second.address) || first.port - second.port);
}
