import { ipAddressBytes, isIpAddress } from '../../base/ip-address.js';
import { Failure } from './failure.js';
import { shownText } from './shown-text.js';

const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Reads an IPv4 or IPv6 address. */
export function readIpAddress(text: string): Uint8Array | Failure {
  const bytes = isIpAddress(text) ? ipAddressBytes(text) : undefined;
  return bytes ?? new Failure(`${shownText(text)} is not an IP address`);
}

/** Compares addresses. An IPv4 address equals itself in IPv6 form. */
export function areSameIpAddresses(left: Uint8Array, right: Uint8Array): boolean {
  const [a, b] = [withoutMapping(left), withoutMapping(right)];
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function withoutMapping(bytes: Uint8Array): Uint8Array {
  const isMapped = bytes.length === 16 && MAPPED_PREFIX.every((byte, index) => byte === bytes[index]);
  return isMapped ? bytes.subarray(MAPPED_PREFIX.length) : bytes;
}
