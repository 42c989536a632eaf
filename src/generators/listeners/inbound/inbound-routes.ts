import { duration } from '../../../envoy/durations.js';
import type { RouteConfiguration } from '../../../generated/envoy/config/route/v3/RouteConfiguration.js';

/** Where the requests of an inbound HTTP chain go: all to one cluster. */
export interface InboundRouteOptions {
  readonly name: string;
  readonly cluster: string;
  /** Service port, 0 for what no service claims. */
  readonly port: number;
  /** Empty for what no service claims. */
  readonly hostname: string;
}

/** The inline route table of an inbound chain: vhost `inbound|http|<port>`, route `default` (BEHAVIOUR 5, "Routes"). */
export function buildInboundRoutes({ name, cluster, port, hostname }: InboundRouteOptions): RouteConfiguration {
  return {
    name,
    validateClusters: { value: false },
    virtualHosts: [
      {
        name: `inbound|http|${port}`,
        domains: ['*'],
        routes: [
          {
            name: 'default',
            match: { prefix: '/' },
            route: {
              cluster,
              // The caller's timeout decides.
              timeout: duration(0),
              maxStreamDuration: { maxStreamDuration: duration(0), grpcTimeoutHeaderMax: duration(0) },
              // A connection that the application had closed: nothing of the request was read.
              retryPolicy: { retryOn: 'reset-before-request', numRetries: { value: 2 } },
            },
            decorator: { operation: `${hostname}:${port}/*` },
          },
        ],
      },
    ],
  };
}
