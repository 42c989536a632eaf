import type { KeySourceUse } from '../model/security/request-authentications.js';

/** How many sources of keys are fetched. */
export interface KeySourceLimits {
  /** NAV_JWKS_MAX_SOURCES */
  readonly maxSources: number;
  /** NAV_JWKS_MAX_NAMESPACE_SOURCES */
  readonly maxPerNamespace: number;
}

/** A source that is not fetched, with the setting that would allow it. */
export type RefusedSource = 'NAV_JWKS_MAX_SOURCES' | 'NAV_JWKS_MAX_NAMESPACE_SOURCES';

export interface AdmittedSources {
  readonly admitted: readonly KeySourceUse[];
  readonly refused: ReadonlyMap<string, RefusedSource>;
}

/**
 * The sources that are fetched. A source of several namespaces counts in the one that has the most room for it. Over the
 * limit of all, namespaces take turns, so that one with many sources takes no place from another.
 *
 * @param uses by id, in a stable order: every instance chooses the same sources
 */
export function admitSources(
  uses: ReadonlyMap<string, KeySourceUse>,
  { maxSources, maxPerNamespace }: KeySourceLimits,
): AdmittedSources {
  const ranks = new Map<string, number>();
  const refused = new Map<string, RefusedSource>();
  const ranked: { readonly use: KeySourceUse; readonly rank: number }[] = [];
  for (const [id, use] of uses) {
    const namespaces = [...new Set(use.objects.map(({ namespace }) => namespace))];
    let rank = Number.POSITIVE_INFINITY;
    for (const namespace of namespaces) {
      const own = (ranks.get(namespace) ?? 0) + 1;
      ranks.set(namespace, own);
      rank = Math.min(rank, own);
    }
    if (rank > maxPerNamespace) refused.set(id, 'NAV_JWKS_MAX_NAMESPACE_SOURCES');
    else ranked.push({ use, rank });
  }
  ranked.sort((first, second) => first.rank - second.rank);
  for (const { use } of ranked.slice(maxSources)) refused.set(use.source.id, 'NAV_JWKS_MAX_SOURCES');
  return { admitted: ranked.slice(0, maxSources).map(({ use }) => use), refused };
}
