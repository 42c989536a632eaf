import ipaddr from 'ipaddr.js';
import type { WireAddress } from './envoy-messages.js';

/** An IP address in network byte order, 4 bytes or 16; undefined for pipes and anything else that is none. */
export function ipBytesOf(address: WireAddress | null | undefined): Uint8Array | undefined {
  const text = address?.socketAddress?.address;
  if (text === undefined || text === '') return undefined;
  return ipBytes(text);
}

/** Undefined for a pipe. */
export function portOf(address: WireAddress | null | undefined): number | undefined {
  return address?.socketAddress?.portValue || undefined;
}

/** Reads an IP address as it is written; IPv4 in IPv6 is IPv4, for that is what the peer has. */
function ipBytes(text: string): Uint8Array | undefined {
  const plain = ipv4Bytes(text);
  if (plain !== undefined) return plain;
  if (!ipaddr.isValid(text)) return undefined;
  return Uint8Array.from(ipaddr.process(text).toByteArray());
}

/** The address that bytes stand for; undefined when their number is neither that of IPv4 nor of IPv6. */
export function ipText(bytes: Uint8Array): string | undefined {
  return bytes.length === 4 || bytes.length === 16 ? ipaddr.fromByteArray([...bytes]).toString() : undefined;
}

const DOT = 0x2e;
const ZERO = 0x30;

/** Four decimal numbers without leading zeros, which Envoy writes nearly always; undefined for any other form. */
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
