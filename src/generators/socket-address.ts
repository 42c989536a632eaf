import type { Address } from '../generated/envoy/config/core/v3/Address.js';

const UNIX_PREFIX = 'unix://';

/** The address of an endpoint: an IP address or DNS name with a port, or `unix://` and a socket's path. */
export function buildEndpointAddress(address: string, port: number): Address {
  if (address.startsWith(UNIX_PREFIX)) return { pipe: { path: address.slice(UNIX_PREFIX.length) } };
  return { socketAddress: { address, portValue: port } };
}
