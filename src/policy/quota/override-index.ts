import { canonicalIpAddress } from '../../base/ip-address.js';
import type { QuotaLimit, QuotaOverride } from '../../config/policy-server/policy-server-config.js';
import { sized } from './dimension-text.js';

/** Finds the override for the values of a quota's dimensions, given in the dimensions' order. */
export type OverrideIndex = (values: readonly string[]) => QuotaOverride | undefined;

interface Indexed {
  readonly override: QuotaOverride;
  readonly place: number;
}

/** Overrides that name the same dimensions. */
interface Table {
  /** Places in the quota's dimensions. */
  readonly places: readonly number[];
  readonly byValues: Map<string, Indexed>;
}

/**
 * Indexes overrides, so that a request needs one lookup for each set of named dimensions, however many values exist.
 * The override with most dimensions wins, and among equal ones the first.
 */
export function createOverrideIndex({ dimensions, overrides }: QuotaLimit): OverrideIndex {
  const tables = new Map<string, Table>();
  for (const [place, override] of overrides.entries()) {
    const places = [...dimensions.keys()].filter((at) => override.dimensions.has(dimensions[at]?.text ?? ''));
    const id = places.join();
    const table = tables.get(id) ?? { places, byValues: new Map<string, Indexed>() };
    tables.set(id, table);
    const written = places.map((at) => override.dimensions.get(dimensions[at]?.text ?? '') ?? '');
    for (const values of spellings(written)) {
      const key = values.map(sized).join('');
      if (!table.byValues.has(key)) table.byValues.set(key, { override, place });
    }
  }
  const ranks = rankTables([...tables.values()]);
  return (values) => {
    for (const rank of ranks) {
      let found: Indexed | undefined;
      for (const { places, byValues } of rank) {
        const indexed = byValues.get(places.map((at) => sized(values[at] ?? '')).join(''));
        if (indexed !== undefined && (found === undefined || indexed.place < found.place)) found = indexed;
      }
      if (found !== undefined) return found.override;
    }
    return undefined;
  };
}

/** Groups tables by their number of dimensions, largest first. */
function rankTables(tables: readonly Table[]): readonly (readonly Table[])[] {
  const ranks: Table[][] = [];
  for (const table of [...tables].sort((a, b) => b.places.length - a.places.length)) {
    const last = ranks.at(-1);
    if (last?.[0]?.places.length === table.places.length) last.push(table);
    else ranks.push([table]);
  }
  return ranks;
}

/** Counted bytes have one text. A configured address may have another spelling. */
function spellings(values: readonly string[]): readonly (readonly string[])[] {
  return values.reduce<readonly (readonly string[])[]>(
    (lists, value) => {
      const address = canonicalIpAddress(value);
      const forms = address === undefined || address === value ? [value] : [value, address];
      return lists.flatMap((list) => forms.map((form) => [...list, form]));
    },
    [[]],
  );
}
