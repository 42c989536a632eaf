/** Envoy refuses an assignment whose weights add up to more. */
const MAX_TOTAL_WEIGHT = 0xffff_ffff;

/**
 * Makes the weights fit what Envoy accepts: each at least 1, their sum within 32 bits. Larger sums are
 * scaled down together, so that the shares stay; weights that fit are left alone.
 */
export function fitWeights<T extends { readonly weight: number }>(items: readonly T[]): readonly T[] {
  let total = 0;
  let fits = true;
  for (const { weight } of items) {
    total += weight;
    fits &&= Number.isInteger(weight) && weight >= 1;
  }
  if (fits && total <= MAX_TOTAL_WEIGHT) return items;
  // What rounding up to 1 may add is kept free.
  const factor = Math.min(1, (MAX_TOTAL_WEIGHT - items.length) / total);
  return items.map((item) => ({ ...item, weight: Math.max(1, Math.floor(item.weight * factor)) }));
}
