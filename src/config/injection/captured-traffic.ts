import { isCidr } from '../../base/ip-address.js';

/** `*` for all items, or a list of them. */
export type Selection<Item> = '*' | readonly Item[];

/** A range of addresses as iptables takes it. */
export interface AddressRange {
  readonly family: 'ipv4' | 'ipv6';
  /** `10.0.0.0/8` */
  readonly cidr: string;
}

/** An invalid item of a list. The message names the item and the valid form. */
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
 * Address ranges in CIDR notation, separated by commas (docs/reference/webhooks.md#validated-annotations). An empty
 * text gives an empty list.
 *
 * @throws TrafficSyntaxError
 */
export function parseAddressRanges(text: string): readonly AddressRange[] {
  return itemsOf(text).map((item) => {
    // Leading zeros of the prefix length are accepted here, and left out.
    const cidr = item.replace(/\/0{1,2}(?=\d{1,2}$)/, '/');
    if (isCidr(cidr)) return { family: cidr.includes(':') ? 'ipv6' : 'ipv4', cidr };
    throw new TrafficSyntaxError(`${shown(item)} is not an address range: write for example 10.0.0.0/8 or fd00::/8`);
  });
}

/** Address ranges as in `parseAddressRanges`, or `*` for all addresses. @throws TrafficSyntaxError */
export function parseAddressSelection(text: string): Selection<AddressRange> {
  return text.trim() === '*' ? '*' : parseAddressRanges(text);
}

/** Ports separated by commas. An empty text gives an empty list. @throws TrafficSyntaxError */
export function parsePorts(text: string): readonly number[] {
  return itemsOf(text).map((item) => {
    const port = /^\d{1,5}$/.test(item) ? Number(item) : Number.NaN;
    if (port >= 1 && port <= 65535) return port;
    throw new TrafficSyntaxError(`${shown(item)} is not a port: write a number from 1 to 65535`);
  });
}

/** Ports as in `parsePorts`, or `*` for all ports. @throws TrafficSyntaxError */
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
