import { type AddressRange, overlaps, parseAddressRange } from '../../base/address-range.js';

/**
 * The widest ranges that an entry may take in other namespaces, by family, as a prefix length. All ranges of one entry
 * together cover no more addresses than one range of this length.
 */
export const WIDEST_EXPORTED_RANGE = { 4: 16, 6: 64 } as const;

/** Ranges that mean something else at every workload, or that the mesh itself makes addresses of. */
const SPECIAL: readonly (readonly [range: string, name: string])[] = [
  ['0.0.0.0/8', 'unspecified'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
];
const SPECIAL_RANGES = SPECIAL.map(([text, name]) => ({ range: parseAddressRange(text) as AddressRange, text, name }));

/** Counts what the ranges of one entry cover; says when it is more than one entry may. */
export function createCoverage(): (range: AddressRange) => boolean {
  const left = { 4: 1, 6: 1 };
  return ({ family, bits }) => {
    left[family] -= 2 ** (WIDEST_EXPORTED_RANGE[family] - bits);
    return left[family] < 0;
  };
}

/** Why nobody but the root namespace gives the range to other namespaces; undefined where others may. */
export function whyRangeIsSpecial(range: AddressRange): string | undefined {
  const found = SPECIAL_RANGES.find((special) => overlaps(special.range, range));
  return found === undefined ? undefined : `has ${found.name} addresses (${found.text})`;
}
