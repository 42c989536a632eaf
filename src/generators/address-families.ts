import ipaddr from 'ipaddr.js';
import { isCidr, isIpAddress } from '../config/primitives.js';

/** The IP families that a proxy has addresses of, and the special addresses that follow from them. */
export interface AddressFamilies {
  readonly ipv4: boolean;
  readonly ipv6: boolean;
}

/** A proxy without a readable address counts as IPv4. */
export function addressFamiliesOf(addresses: readonly string[]): AddressFamilies {
  const ipv6 = addresses.some((address) => ipaddr.IPv6.isValid(address));
  return { ipv4: !ipv6 || addresses.some((address) => ipaddr.IPv4.isValid(address)), ipv6 };
}

/** The address that names wildcard listeners, and the other family's one for a dual-stack proxy. */
export function wildcardAddresses(families: AddressFamilies): readonly [string, ...string[]] {
  if (!families.ipv6) return ['0.0.0.0'];
  return families.ipv4 ? ['0.0.0.0', '::'] : ['::'];
}

export function loopbackAddress(families: AddressFamilies): string {
  return families.ipv4 ? '127.0.0.1' : '::1';
}

/** What a service address stands for: one IP, or a range with its prefix in canonical form. */
export type ServiceAddress = { readonly ip: string } | { readonly cidr: string };

/** Undefined for anything that is no IP or CIDR of the given families; a range of one address is that address. */
export function parseServiceAddress(text: string, families: AddressFamilies): ServiceAddress | undefined {
  const slash = text.indexOf('/');
  const ip = slash < 0 ? text : text.slice(0, slash);
  if (!isIpAddress(ip) || (slash >= 0 && !isCidr(text))) return undefined;
  const parsed = ipaddr.parse(ip);
  const ipv4 = parsed instanceof ipaddr.IPv4;
  if (ipv4 ? !families.ipv4 : !families.ipv6) return undefined;
  const bits = slash < 0 ? undefined : Number(text.slice(slash + 1));
  if (bits === undefined || bits === (ipv4 ? 32 : 128)) return { ip: canonical(parsed) };
  const network = ipv4 ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
  return { cidr: `${canonical(network)}/${bits}` };
}

function canonical(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}
