import type { ConnectionAction } from './connection-route.js';
import type { Destination } from './destination.js';
import type { HttpAction, RetryPolicy } from './http-action.js';
import { EVERY_REQUEST } from './http-match.js';
import type { VirtualHost } from './http-route.js';

/** Repeats a request if the application had closed its connection before it read any of the request. */
const RETRIES: RetryPolicy = { conditions: ['reset-before-request'], attempts: 2 };

/**
 * The virtual host of inbound requests, which all go to the workload of the sidecar. It has no timeout: that of the
 * caller applies.
 *
 * @param destination the service port of the requests; undefined for ports of no service
 */
export function workloadVirtualHost(destination: Destination | undefined): VirtualHost {
  const { hostname, port } = destination ?? { hostname: '', port: 0 };
  const action: HttpAction =
    destination === undefined
      ? { type: 'passThrough', retries: RETRIES }
      : { type: 'forward', destinations: [{ ...destination, weight: 1 }], timeoutMs: 0, retries: RETRIES };
  return {
    name: `inbound|http|${port}`,
    routes: [{ name: 'default', match: EVERY_REQUEST, action, operation: `${hostname}:${port}/*` }],
  };
}

/** What a sidecar does with inbound connections that it does not serve as HTTP. */
export function workloadConnections(destination: Destination | undefined): ConnectionAction {
  return destination === undefined
    ? { type: 'passThrough' }
    : { type: 'forward', destinations: [{ ...destination, weight: 1 }], hashesSourceAddress: false };
}
