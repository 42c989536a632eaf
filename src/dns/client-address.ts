import { canonicalIpAddress, ipAddressBytes, ipAddressText } from '../base/ip-address.js';

/** The sender of a message. */
export interface ClientAddress {
  /** Address in canonical form. */
  readonly address: string;
  /** The address that limits count: of IPv6 the /64, because a network of 2^64 addresses usually belongs to one client. */
  readonly client: string;
}

const IPV4_IN_IPV6 = '::ffff:';
const HOST_PART = Buffer.alloc(8);

/** @param text of a socket: an IPv4 address, or an IPv6 address that may contain an IPv4 address or have a zone */
export function clientAddressOf(text: string): ClientAddress {
  // Each datagram of a flood comes here, and ipaddr.js takes longer.
  if (!text.includes(':')) return { address: text, client: text };
  if (text.startsWith(IPV4_IN_IPV6) && text.includes('.')) {
    const ipv4 = text.slice(IPV4_IN_IPV6.length);
    return { address: ipv4, client: ipv4 };
  }
  const address = canonicalIpAddress(text.split('%')[0] ?? '') ?? text;
  return { address, client: networkOf(address) };
}

function networkOf(address: string): string {
  const bytes = ipAddressBytes(address);
  if (bytes?.length !== 16) return address;
  return `${ipAddressText(Buffer.concat([bytes.subarray(0, 8), HOST_PART]))}/64`;
}
