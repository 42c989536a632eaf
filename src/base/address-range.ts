import ipaddr from 'ipaddr.js';
import { isCidr, isIpAddress, normalizeIpv6 } from './ip-address.js';

/**
 * Addresses from the first to the last, in hexadecimal of fixed width after the digit of their family. They compare as
 * texts.
 */
export interface AddressRange {
  readonly family: 4 | 6;
  readonly first: string;
  readonly last: string;
  /** Prefix length: 32 or 128 for one address. */
  readonly bits: number;
}

const HEX_DIGITS = { 4: 8, 6: 32 } as const;

/** Reads an address or CIDR range; an IPv4 address in IPv6 form is that IPv4 address. Undefined for other text. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  if (!isIpAddress(address)) return undefined;
  // Nearly every cluster IP has this form, and ipaddr.js takes ten times as long.
  if (slash < 0 && !address.includes(':')) {
    const key = `4${address.split('.').map(hexByte).join('')}`;
    return { family: 4, first: key, last: key, bits: 32 };
  }
  const parsed = ipaddr.parse(address);
  const width = parsed instanceof ipaddr.IPv4 ? 32 : 128;
  const bits = slash < 0 ? width : Number(text.slice(slash + 1));
  if (!Number.isInteger(bits) || bits < 0 || bits > width) return undefined;
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? rangeOf(parsed.toIPv4Address(), bits - 96) : rangeOf(parsed, bits);
}

/** An address or a CIDR range, as text. */
export interface Network {
  readonly family: 4 | 6;
  /** The first address, in canonical form; an IPv4 address in IPv6 form stays IPv6. */
  readonly address: string;
  /** Prefix length: 32 or 128 for one address. */
  readonly bits: number;
}

/** Reads an address or CIDR range. Undefined for other text. */
export function parseNetwork(text: string): Network | undefined {
  const slash = text.indexOf('/');
  if (slash < 0 ? !isIpAddress(text) : !isCidr(text)) return undefined;
  const family = text.includes(':') ? 6 : 4;
  if (slash < 0) return { family, address: family === 6 ? normalizeIpv6(text) : text, bits: family === 6 ? 128 : 32 };
  const first = (family === 6 ? ipaddr.IPv6 : ipaddr.IPv4).networkAddressFromCIDR(text);
  return { family, address: first.toString(), bits: Number(text.slice(slash + 1)) };
}

/** Whether the ranges have an address in common. */
export function overlaps(first: AddressRange, second: AddressRange): boolean {
  return first.first <= second.last && second.first <= first.last;
}

/** The canonical text of `first` or `last` of a range. */
export function addressText(key: string): string {
  const family = key.startsWith('4') ? 4 : 6;
  const bytes = [...Buffer.from(key.slice(1, 1 + HEX_DIGITS[family]), 'hex')];
  return ipaddr.fromByteArray(bytes).toString();
}

function hexByte(text: string): string {
  return Number(text).toString(16).padStart(2, '0');
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): AddressRange {
  const family = address instanceof ipaddr.IPv4 ? 4 : 6;
  const bytes = address.toByteArray();
  const hex = (fill: 0 | 255): string =>
    `${family}${Buffer.from(bytes.map((byte, index) => masked(byte, bits - index * 8, fill))).toString('hex')}`;
  return { family, first: hex(0), last: hex(255), bits };
}

/** The byte with all but its first `kept` bits filled. */
function masked(byte: number, kept: number, fill: 0 | 255): number {
  if (kept >= 8) return byte;
  const mask = kept <= 0 ? 0 : (0xff << (8 - kept)) & 0xff;
  return (byte & mask) | (fill & ~mask & 0xff);
}
