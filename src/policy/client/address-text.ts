import ipaddr from 'ipaddr.js';

/** The address that bytes in network byte order stand for; undefined when their number is not 4 or 16. */
export function addressTextOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  return bytes.length === 16 ? canonical(ipaddr.fromByteArray([...bytes])) : undefined;
}

/** How the text of bytes of the address that a text names would be; undefined when the text names none. */
export function canonicalAddress(text: string): string | undefined {
  return ipaddr.isValid(text) ? canonical(ipaddr.parse(text)) : undefined;
}

/** IPv4 in IPv6 is IPv4, for that is what the peer has. */
function canonical(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return address.toString();
}
