import type { Port, Service } from '../service.js';
import { type Destination, WHOLE_SERVICE } from './destination.js';
import type { RetryPolicy } from './http-action.js';
import { EVERY_REQUEST } from './http-match.js';
import type { HttpRoute } from './http-route.js';
import type { VirtualHost } from './virtual-host.js';

/** Of requests for which no object says otherwise (BEHAVIOUR 5, "Routes"). */
const DEFAULT_RETRIES: RetryPolicy = {
  conditions: ['connect-failure', 'refused-stream', 'unavailable', 'cancelled', 'retriable-status-codes'],
  attempts: 2,
  statusCodes: [503],
  otherHostAttempts: 5,
};

/** A port of a service, with all of its endpoints. */
export function destinationOf({ hostname }: Pick<Service, 'hostname'>, port: number): Destination {
  return { hostname, port, subset: WHOLE_SERVICE };
}

/**
 * The virtual host of a service port that no routing object speaks of: one route, to all endpoints.
 *
 * @param timeoutMs for a whole request, 0 for none (MESH_DEFAULT_REQUEST_TIMEOUT)
 */
export function serviceVirtualHost(service: Service, port: Port, timeoutMs: number): VirtualHost {
  const name = `${service.hostname}:${port.number}`;
  const route: HttpRoute = {
    name: 'default',
    match: EVERY_REQUEST,
    action: {
      type: 'forward',
      destinations: [{ ...destinationOf(service, port.number), weight: 1 }],
      timeoutMs,
      retries: DEFAULT_RETRIES,
    },
    operation: `${name}/*`,
  };
  return { name, routes: [route] };
}
