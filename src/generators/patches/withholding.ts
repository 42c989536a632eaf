import type { Finding } from '../../model/finding.js';
import { createMemo } from '../../model/memo.js';
import type { Patch } from '../../model/patches/envoy-patches.js';
import { isWithheldFrom, type WithheldPatch } from '../../model/patches/withheld-patch.js';
import { skipped } from './resource-patcher.js';

/** Separates the patches of a proxy from those that it rejected. */
export interface Withholding {
  /**
   * @param withheld by the ids of patches
   * @param resource name of the resource that the patches would change
   */
  split(patches: readonly Patch[], withheld: ReadonlyMap<string, WithheldPatch>, resource: string): Split;
}

export interface Split {
  /** The same object for the same patches, while it is remembered. */
  readonly kept: readonly Patch[];
  readonly findings: readonly Finding[];
}

/** Lists that are remembered for the patches of one workload. Proxies decide which patches they reject. */
const MAX_LISTS = 64;

export function createWithholding(): Withholding {
  const lists = createMemo<Map<string, readonly Patch[]>>();

  const withoutIds = (patches: readonly Patch[], ids: ReadonlySet<string>): readonly Patch[] => {
    const known = lists.of([patches], '', () => new Map());
    const key = [...ids].join('\n');
    const list = known.get(key) ?? patches.filter(({ id }) => !ids.has(id));
    if (known.size >= MAX_LISTS && !known.has(key)) known.clear();
    known.set(key, list);
    return list;
  };

  return {
    split: (patches, withheld, resource) => {
      if (withheld.size === 0) return { kept: patches, findings: [] };
      const here = patches.flatMap((patch) => {
        const entry = withheld.get(patch.id);
        return entry === undefined || !isWithheldFrom(entry, resource) ? [] : [{ patch, reason: entry.reason }];
      });
      if (here.length === 0) return { kept: patches, findings: [] };
      return {
        kept: withoutIds(patches, new Set(here.map(({ patch }) => patch.id))),
        findings: here.flatMap(({ patch, reason }) => (reason === undefined ? [] : [skipped(patch, resource, reason)])),
      };
    },
  };
}
