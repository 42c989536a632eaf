import { isIpAddress as isAnyIpAddress } from '../../config/primitives.js';
import type { Resolution } from '../service.js';

const UNIX_PREFIX = 'unix://';

/** How nearly every address is written; what validates objects, which knows all spellings, takes longer. */
const PLAIN_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;

/** What validation takes for an IP address, and Envoy does: other spellings, such as 10.0.0.0x1, are host names. */
export function isIpAddress(address: string): boolean {
  return PLAIN_IPV4.test(address) || isAnyIpAddress(address);
}

export function isUnixAddress(address: string): boolean {
  return address.startsWith(UNIX_PREFIX);
}

/**
 * Whether proxies can be given the address. Only services that the proxy resolves by DNS may have names;
 * one name among the assignments that we send would make Envoy refuse the whole assignment.
 */
export function isServable(address: string, resolution: Resolution): boolean {
  if (address === '') return false;
  return resolution === 'dns' || isUnixAddress(address) || isIpAddress(address);
}
