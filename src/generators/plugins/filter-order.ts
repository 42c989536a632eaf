/**
 * A filter, or the place for the filters of all plugins, whose order is fixed: authn, authz, policy.
 */
export type HttpFilterSlot = 'onDemand' | 'plugins' | 'grpcWeb' | 'grpcStats' | 'alpn' | 'cors' | 'fault' | 'router';

/** `terminal` is the filter that ends a chain: a TCP proxy, or one of the port's protocol. */
export type NetworkFilterSlot = 'plugins' | 'terminal';

/** The order of all filters, by the kind of their chain (docs/reference/xds.md#http-connection-manager). */
export const FILTER_ORDER = {
  outboundHttp: ['onDemand', 'plugins', 'grpcWeb', 'grpcStats', 'alpn', 'cors', 'fault', 'router'],
  gatewayHttp: ['plugins', 'grpcWeb', 'grpcStats', 'alpn', 'cors', 'fault', 'router'],
  inboundHttp: ['plugins', 'grpcWeb', 'grpcStats', 'cors', 'fault', 'router'],
  tcp: ['plugins', 'terminal'],
} as const satisfies Readonly<Record<string, readonly (HttpFilterSlot | NetworkFilterSlot)[]>>;
