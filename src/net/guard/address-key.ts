import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const NETWORK_GROUPS = 4;

/**
 * The key of limits per address: an IPv4 address, or the /64 network of an IPv6 address, because one machine can use
 * all addresses of such a network.
 */
export function addressKey(remoteAddress: string | undefined): string {
  if (remoteAddress === undefined) return 'unknown';
  const mapped = MAPPED_IPV4.exec(remoteAddress)?.[1];
  if (mapped !== undefined) return mapped;
  const [bare = ''] = remoteAddress.split('%');
  if (!isIPv6(bare)) return remoteAddress;
  const [head = '', tail] = bare.split('::');
  const first = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':');
    while (first.length + rest.length < 8) first.push('0');
    first.push(...rest);
  }
  return `${first.slice(0, NETWORK_GROUPS).map(withoutZeros).join(':')}::/64`;
}

function withoutZeros(group: string): string {
  return group.toLowerCase().replace(/^0+(?=.)/, '');
}
