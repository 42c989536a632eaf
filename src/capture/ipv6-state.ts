import { readFile } from 'node:fs/promises';

/** What this network namespace has of IPv6. */
export type Ipv6State =
  /** None, so that there is nothing to capture. */
  | 'off'
  /** Addresses that lead nowhere: loopback, link-local. */
  | 'local'
  /** Addresses that others reach, and that reach others. */
  | 'global';

/** Global addresses, and unique local ones among them, have scope 0. */
const GLOBAL_SCOPE = '00';

/** Reads `/proc/net/if_inet6`, which does not exist where the kernel has no IPv6. */
export async function readIpv6State(file = '/proc/net/if_inet6'): Promise<Ipv6State> {
  try {
    return parseIpv6State(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'off';
    throw error;
  }
}

/** A line for each address: address, index, prefix length, scope, flags, interface. */
export function parseIpv6State(text: string): Ipv6State {
  const addresses = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 6);
  if (addresses.length === 0) return 'off';
  return addresses.some(([, , , scope, , name]) => scope === GLOBAL_SCOPE && name !== 'lo') ? 'global' : 'local';
}
