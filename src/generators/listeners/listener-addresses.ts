import type { Address } from '../../generated/envoy/config/core/v3/Address.js';
import type { CidrRange } from '../../generated/envoy/config/core/v3/CidrRange.js';

/** An IP address and port, for TCP unless told otherwise. */
export function socketAddress(address: string, port: number, protocol: 'TCP' | 'UDP' = 'TCP'): Address {
  return {
    socketAddress: protocol === 'UDP' ? { protocol, address, portValue: port } : { address, portValue: port },
  };
}

/**
 * @param cidr `<address>/<bits>`; the address must have no bits beyond the prefix, for Envoy compares
 *   filter chain matches only after it has cut them off
 */
export function cidrRange(cidr: string): CidrRange {
  const slash = cidr.lastIndexOf('/');
  return { addressPrefix: cidr.slice(0, slash), prefixLen: { value: Number(cidr.slice(slash + 1)) } };
}
