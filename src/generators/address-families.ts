import { parseNetwork } from '../base/address-range.js';
import { ipFamilyOf } from '../base/ip-address.js';

/** The IP families that a proxy has addresses of, and the special addresses that follow from them. */
export interface AddressFamilies {
  readonly ipv4: boolean;
  readonly ipv6: boolean;
}

/** A proxy without a readable address counts as IPv4. */
export function addressFamiliesOf(addresses: readonly string[]): AddressFamilies {
  const families = addresses.map(ipFamilyOf);
  const ipv6 = families.includes(6);
  return { ipv4: !ipv6 || families.includes(4), ipv6 };
}

/** The address that names wildcard listeners, and the other family's one for a dual-stack proxy. */
export function wildcardAddresses(families: AddressFamilies): readonly [string, ...string[]] {
  if (!families.ipv6) return ['0.0.0.0'];
  return families.ipv4 ? ['0.0.0.0', '::'] : ['::'];
}

export function loopbackAddress(families: AddressFamilies): string {
  return families.ipv4 ? '127.0.0.1' : '::1';
}

/** A service address: one IP, or a range with its prefix, in canonical form. */
export type ServiceAddress = { readonly ip: string } | { readonly cidr: string };

/**
 * Undefined unless the text is an IP or CIDR of the given families. A range of one address is returned as that address.
 */
export function parseServiceAddress(text: string, families: AddressFamilies): ServiceAddress | undefined {
  const network = parseNetwork(text);
  if (network === undefined) return undefined;
  const { family, address, bits } = network;
  if (family === 4 ? !families.ipv4 : !families.ipv6) return undefined;
  return bits === (family === 4 ? 32 : 128) ? { ip: address } : { cidr: `${address}/${bits}` };
}
