import ipaddr from 'ipaddr.js';

/** Everything, or what is listed; an empty list is nothing. */
export type Selection<Item> = '*' | readonly Item[];

/** A range of addresses as iptables takes it. */
export interface AddressRange {
  readonly family: 'ipv4' | 'ipv6';
  /** `10.0.0.0/8` */
  readonly cidr: string;
}

/** Says which item of a list cannot be what it should be, for a message to go on with. */
export class TrafficSyntaxError extends Error {
  readonly code = 'INVALID_TRAFFIC';

  constructor(message: string) {
    super(message);
    this.name = 'TrafficSyntaxError';
  }
}

const MAX_ITEMS = 1000;
const MAX_SHOWN = 64;

/**
 * Address ranges in CIDR notation, separated by commas (BEHAVIOUR 3, "Validated annotations"); an empty text is none.
 *
 * @throws TrafficSyntaxError
 */
export function parseAddressRanges(text: string): readonly AddressRange[] {
  return itemsOf(text).map((item) => {
    const [address = '', prefix = '', ...rest] = item.split('/');
    const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
    const isIpv6 = !isIpv4 && !address.includes('%') && ipaddr.IPv6.isValid(address);
    const bits = /^\d{1,3}$/.test(prefix) && rest.length === 0 ? Number(prefix) : Number.NaN;
    if ((isIpv4 && bits <= 32) || (isIpv6 && bits <= 128)) {
      return { family: isIpv4 ? 'ipv4' : 'ipv6', cidr: `${address}/${bits}` };
    }
    throw new TrafficSyntaxError(`${shown(item)} is not an address range: write for example 10.0.0.0/8 or fd00::/8`);
  });
}

/** The same, or `*` for all addresses. @throws TrafficSyntaxError */
export function parseAddressSelection(text: string): Selection<AddressRange> {
  return text.trim() === '*' ? '*' : parseAddressRanges(text);
}

/** Ports separated by commas; an empty text is none. @throws TrafficSyntaxError */
export function parsePorts(text: string): readonly number[] {
  return itemsOf(text).map((item) => {
    const port = /^\d{1,5}$/.test(item) ? Number(item) : Number.NaN;
    if (port >= 1 && port <= 65535) return port;
    throw new TrafficSyntaxError(`${shown(item)} is not a port: write a number from 1 to 65535`);
  });
}

/** The same, or `*` for all ports. @throws TrafficSyntaxError */
export function parsePortSelection(text: string): Selection<number> {
  return text.trim() === '*' ? '*' : parsePorts(text);
}

function itemsOf(text: string): readonly string[] {
  if (text.trim() === '') return [];
  const items = text.split(',').map((item) => item.trim());
  if (items.length > MAX_ITEMS)
    throw new TrafficSyntaxError(`${items.length} items are too many: write ${MAX_ITEMS} at most`);
  return items;
}

function shown(item: string): string {
  return JSON.stringify(item.length > MAX_SHOWN ? `${item.slice(0, MAX_SHOWN)}…` : item);
}
