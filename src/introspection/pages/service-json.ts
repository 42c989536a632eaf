import type { Endpoint } from '../../model/endpoint.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { sortKeys } from '../order.js';

/** A service on debug pages: the fields of the model, with sorted labels. */
export function serviceJson(service: Service): object {
  return { ...service, labels: sortKeys(service.labels) };
}

/** An endpoint on debug pages: the fields of the model, with sorted labels. */
export function endpointJson(endpoint: Endpoint): object {
  return { ...endpoint, labels: sortKeys(endpoint.labels) };
}

/** All services, by host. If several namespaces have a host, the service in force comes first. */
export function* everyService({ services, shadowedByHost }: PushContext): Generator<Service> {
  for (const service of services) {
    yield service;
    yield* shadowedByHost.get(service.hostname) ?? [];
  }
}
