/**
 * Every change of the churn gives an endpoint a new address that identifies the change: 100.64.0.0/10, which the rest
 * of the cluster does not use, counted from its first address.
 */
const FIRST = 100;
const SECOND = 64;
const PREFIX = Buffer.from(`${FIRST}.`);
const DOT = 0x2e;
const ZERO = 0x30;

/** The address of a change, which is a number from 0 to 4,194,303. */
export function markedAddress(change: number): string {
  return [FIRST, SECOND + (change >>> 16), (change >>> 8) & 0xff, change & 0xff].join('.');
}

/** The changes whose addresses are in the bytes; reads nothing else of them. */
export function findMarkedAddresses(bytes: Buffer): readonly number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(PREFIX); at >= 0; at = bytes.indexOf(PREFIX, at + PREFIX.length)) {
    const change = readChange(bytes, at + PREFIX.length);
    if (change !== undefined) found.push(change);
  }
  return found;
}

/** Reads the last three octets of an address; undefined for other addresses and texts. */
function readChange(bytes: Buffer, start: number): number | undefined {
  let at = start;
  let change = 0;
  for (let octet = 0; octet < 3; octet++) {
    let value = 0;
    let digits = 0;
    for (let digit = digitAt(bytes, at); digit >= 0 && digits < 3; digit = digitAt(bytes, at)) {
      value = value * 10 + digit;
      digits++;
      at++;
    }
    if (digits === 0 || value > 255) return undefined;
    if (octet < 2 && bytes[at++] !== DOT) return undefined;
    if (octet === 0 && (value < SECOND || value >= 2 * SECOND)) return undefined;
    change = change * 256 + (octet === 0 ? value - SECOND : value);
  }
  return change;
}

function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}
