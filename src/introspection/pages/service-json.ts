import type { Endpoint } from '../../model/endpoint.js';
import type { Service } from '../../model/service.js';
import { sortKeys } from '../order.js';

/** A service as debug pages show it: the model's own fields, labels in order. */
export function serviceJson(service: Service): object {
  return { ...service, labels: sortKeys(service.labels) };
}

/** An endpoint as debug pages show it: the model's own fields, labels in order. */
export function endpointJson(endpoint: Endpoint): object {
  return { ...endpoint, labels: sortKeys(endpoint.labels) };
}
