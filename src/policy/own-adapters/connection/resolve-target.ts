import { isIP } from 'node:net';
import type { EgressRules } from '../../../net/egress/egress-rules.js';
import { type ResolveName, resolveAllowed } from '../../../net/egress/guarded-lookup.js';

/** Host and port of an address such as `accounts.shop:9000` or `[::1]:9000`, which validation has read. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export function splitAddress(address: string): HostPort {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

/**
 * Targets of gRPC with the addresses of a host: one for each family.
 *
 * @throws Error for a host without an address, or with one that the rules do not allow
 */
export async function resolveTargets(
  { host, port }: HostPort,
  rules: EgressRules,
  resolveName?: ResolveName,
): Promise<readonly string[]> {
  const addresses =
    isIP(host) === 0 ? (await resolveAllowed(host, rules, resolveName)).map(({ address }) => address) : [host];
  const refusal = addresses.map(rules.refusalOf).find((reason) => reason !== undefined);
  if (refusal !== undefined) throw new Error(`its address is not allowed: ${refusal}`);
  const ofFamily = (family: 4 | 6): readonly string[] => {
    const those = addresses.filter((address) => isIP(address) === family).sort();
    const written = those.map((address) => (family === 4 ? `${address}:${port}` : `[${address}]:${port}`));
    return written.length === 0 ? [] : [`ipv${family}:${written.join(',')}`];
  };
  return [...ofFamily(4), ...ofFamily(6)];
}
