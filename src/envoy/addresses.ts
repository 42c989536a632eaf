import type { Address } from '../generated/envoy/config/core/v3/Address.js';
import type { CidrRange } from '../generated/envoy/config/core/v3/CidrRange.js';

const UNIX_PREFIX = 'unix://';

/** The address of an endpoint: an IP address or DNS name with a port, or `unix://` and a socket's path. */
export function endpointAddress(address: string, port: number): Address {
  return address.startsWith(UNIX_PREFIX)
    ? { pipe: { path: address.slice(UNIX_PREFIX.length) } }
    : socketAddress(address, port);
}

/** Of the sockets that Envoy makes: applications have another user than the proxy. */
const SOCKET_MODE = 0o666;

/** The address of a listener: an IP address with a port, or `unix://` and a socket's path; `@` begins an abstract one. */
export function listenerAddress(address: string, port: number): Address {
  if (!address.startsWith(UNIX_PREFIX)) return socketAddress(address, port);
  const path = address.slice(UNIX_PREFIX.length);
  return { pipe: path.startsWith('@') ? { path } : { path, mode: SOCKET_MODE } };
}

/** An IP address and port. Default protocol: TCP. */
export function socketAddress(address: string, port: number, protocol: 'TCP' | 'UDP' = 'TCP'): Address {
  const place = { address, portValue: port };
  return { socketAddress: protocol === 'UDP' ? { protocol, ...place } : place };
}

/**
 * @param cidr `<address>/<bits>`; the address must have no bits beyond the prefix, because Envoy compares filter chain
 *   matches after it has removed them
 */
export function cidrRange(cidr: string): CidrRange {
  const slash = cidr.lastIndexOf('/');
  return { addressPrefix: cidr.slice(0, slash), prefixLen: { value: Number(cidr.slice(slash + 1)) } };
}
