import ipaddr from 'ipaddr.js';

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** An IPv4 address in dotted decimal without leading zeros, or an IPv6 address without a zone. */
export function isIpAddress(text: string): boolean {
  if (IPV4.test(text)) return true;
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return false;
  // ipaddr.js accepts spellings of an embedded IPv4 address that Envoy rejects.
  return !text.includes('.') || IPV4.test(text.slice(text.lastIndexOf(':') + 1));
}

/** A CIDR range: an IP address, a slash and a prefix length. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  return PREFIX_LENGTH.test(length) && isIpAddress(address) && Number(length) <= (address.includes(':') ? 128 : 32);
}

/** Family of an IPv4 address in dotted decimal or of an IPv6 address, which may have a zone; undefined for other text. */
export function ipFamilyOf(text: string): 4 | 6 | undefined {
  if (IPV4.test(text)) return 4;
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? 6 : undefined;
}

/** One spelling for each IPv6 address; other text as it is. Users write IPv6 addresses in several ways. */
export function normalizeIpv6(text: string): string {
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text).toString() : text;
}

/**
 * One spelling for each IP address, of any form that ipaddr.js reads; undefined for other text. An IPv4 address in IPv6
 * form (`::ffff:10.0.0.1`) becomes the IPv4 address, which is the address that the peer has.
 */
export function canonicalIpAddress(text: string): string | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;
}

/** Whether the text is an address of this machine itself, `127.0.0.0/8` or `::1`. */
export function isLoopbackAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';
}

/** An IP address in network byte order, 4 or 16 bytes, as `canonicalIpAddress` reads it; undefined for other text. */
export function ipAddressBytes(text: string): Uint8Array | undefined {
  const plain = ipv4Bytes(text);
  if (plain !== undefined) return plain;
  return ipaddr.isValid(text) ? Uint8Array.from(ipaddr.process(text).toByteArray()) : undefined;
}

/** The canonical text of an address in network byte order; undefined unless there are 4 or 16 bytes. */
export function ipAddressText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return undefined;
  const address = new ipaddr.IPv6([...bytes]);
  return (address.isIPv4MappedAddress() ? address.toIPv4Address() : address).toString();
}

const DOT = 0x2e;
const ZERO = 0x30;

/**
 * Four decimal numbers without leading zeros, the form that Envoy nearly always sends; undefined for any other form. The
 * policy server reads several addresses for each request, and ipaddr.js takes longer.
 */
function ipv4Bytes(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(4);
  let part = 0;
  let digits = 0;
  let value = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = at === text.length ? DOT : text.charCodeAt(at);
    if (character === DOT) {
      if (digits === 0 || part > 3) return undefined;
      bytes[part++] = value;
      digits = 0;
      value = 0;
      continue;
    }
    const digit = character - ZERO;
    if (digit < 0 || digit > 9 || (digits > 0 && value === 0)) return undefined;
    value = value * 10 + digit;
    digits++;
    if (value > 255) return undefined;
  }
  return part === 4 ? bytes : undefined;
}
