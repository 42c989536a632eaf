import { isIpAddress } from '../../base/ip-address.js';
import type { Resolution } from '../service.js';

const UNIX_PREFIX = 'unix://';

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
