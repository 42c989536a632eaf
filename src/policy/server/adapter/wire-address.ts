import ipaddr from 'ipaddr.js';
import type { WireAddress } from './envoy-messages.js';

/** An IP address in network byte order, 4 bytes or 16; undefined for pipes and anything else that is none. */
export function ipBytesOf(address: WireAddress | null | undefined): Uint8Array | undefined {
  const text = address?.socketAddress?.address;
  if (text === undefined || text === '') return undefined;
  return ipBytes(text);
}

/** Undefined for a pipe. */
export function portOf(address: WireAddress | null | undefined): number | undefined {
  return address?.socketAddress?.portValue || undefined;
}

/** Reads an IP address as it is written; IPv4 in IPv6 is IPv4, for that is what the peer has. */
function ipBytes(text: string): Uint8Array | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  return Uint8Array.from(ipaddr.process(text).toByteArray());
}

/** The address that bytes stand for; undefined when their number is neither that of IPv4 nor of IPv6. */
export function ipText(bytes: Uint8Array): string | undefined {
  return bytes.length === 4 || bytes.length === 16 ? ipaddr.fromByteArray([...bytes]).toString() : undefined;
}
