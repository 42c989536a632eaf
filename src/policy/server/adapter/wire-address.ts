import { ipAddressBytes } from '../../../base/ip-address.js';
import type { WireAddress } from './envoy-messages.js';

/** An IP address in network byte order, 4 bytes or 16; undefined for pipes and anything else that is none. */
export function ipBytesOf(address: WireAddress | null | undefined): Uint8Array | undefined {
  const text = address?.socketAddress?.address;
  return text ? ipAddressBytes(text) : undefined;
}

/** Undefined for a pipe. */
export function portOf(address: WireAddress | null | undefined): number | undefined {
  return address?.socketAddress?.portValue || undefined;
}
