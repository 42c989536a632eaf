import ipaddr from 'ipaddr.js';

/** One spelling for every IPv6 address, of which users write several; other text as it is. */
export function canonicalAddress(address: string): string {
  return address.includes(':') && ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address).toString() : address;
}
