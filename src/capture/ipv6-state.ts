import { readFile } from 'node:fs/promises';

/** IPv6 addresses of this network namespace. */
export type Ipv6State =
  /** No address, so there is nothing to capture. */
  | 'off'
  /** Only addresses of this machine: loopback, link-local. */
  | 'local'
  /** Addresses that reach other machines. */
  | 'global';

/** Scope of global addresses, unique local addresses included. */
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

/** Each line has address, index, prefix length, scope, flags and interface. */
export function parseIpv6State(text: string): Ipv6State {
  const addresses = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 6);
  if (addresses.length === 0) return 'off';
  return addresses.some(([, , , scope, , name]) => scope === GLOBAL_SCOPE && name !== 'lo') ? 'global' : 'local';
}
