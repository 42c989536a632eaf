import { whenSettled } from '../../../base/when-settled.js';
import type { AttributeValue } from '../../client/attribute-value.js';
import { boundedText, sized } from '../../quota/dimension-text.js';
import type { QuotaStore, StoreAnswer } from '../../quota/quota-store.js';
import type { WindowShape } from '../../quota/window-shape.js';
import type { Instance } from '../instance.js';
import { valueText } from '../value-text.js';
import type { Adapter, QuotaGrant, QuotaUse } from './adapter.js';

/** How a quota counts a request. */
export interface CountedAmount {
  readonly maxAmount: number;
  readonly shape: WindowShape;
}

/** A quota of a handler. */
export interface CountedQuota extends CountedAmount {
  /** As the parameters name the instance. */
  readonly name: string;
  /** The first one whose dimensions are all equal applies. */
  readonly overrides: readonly (CountedAmount & { readonly dimensions: Readonly<Record<string, string>> })[];
}

/** Begins the counters of dry runs. The name of an instance has a slash. */
const DRY_RUN = 'dry run';

/** Finds the first override that applies, else the quota itself. */
type FindAmount = (dimensions: ReadonlyMap<string, string>) => CountedAmount;

/**
 * Counts instances in a store, which it closes. An instance without a quota is granted.
 *
 * @param timeoutMs the longest time of a charge
 */
export function createQuotaAdapter(
  quotas: readonly CountedQuota[],
  store: Pick<QuotaStore, 'charge' | 'close'>,
  timeoutMs: number,
): Adapter {
  const find = createAmountFinder(quotas);
  const charge = (
    { fullName }: Instance,
    { maxAmount, shape, dimensions }: FoundAmount,
    { amount, bestEffort, deduplicationId, isDryRun }: QuotaUse,
  ) => {
    const key = boundedText([...dimensions].map(([name, text]) => sized(name) + sized(text)).join(''));
    // Amounts of other windows do not compare.
    const names = isDryRun ? [DRY_RUN, fullName] : [fullName];
    const group = [...names, ...Object.values(shape)].map((part) => sized(String(part))).join('');
    const repetitionKey =
      deduplicationId === undefined ? undefined : `${sized(deduplicationId)}${sized(group)}${sized(key)}${amount}`;
    const counter = { group, key, shape };
    return store.charge({ repetitionKey, charges: [{ counter, amount, bestEffort, maxAmount }], timeoutMs });
  };
  return {
    quota: (instance, use) => {
      const found = find(instance);
      if (found === undefined) return { grantedAmount: use.amount };
      const answer = charge(instance, found, use);
      return whenSettled(answer, grantOf);
    },
    close: () => store.close(),
  };
}

/** The amount that applies to an instance, and the dimensions that have a counter of their own. */
export interface FoundAmount extends CountedAmount {
  readonly dimensions: ReadonlyMap<string, string>;
}

/** Finds what applies to an instance; undefined: no quota counts it. */
export function createAmountFinder(quotas: readonly CountedQuota[]): (instance: Instance) => FoundAmount | undefined {
  const amounts = new Map(quotas.map((quota) => [quota.name, amountFinder(quota)]));
  return (instance) => {
    const find = namesOf(instance)
      .map((name) => amounts.get(name))
      .find((found) => found !== undefined);
    if (find === undefined) return undefined;
    const dimensions = textsOf(instance.maps.get('dimensions'));
    const { maxAmount, shape } = find(dimensions);
    return { maxAmount, shape, dimensions };
  };
}

/** The names that the parameters may have for an instance. */
export function namesOf({ name, fullName }: Pick<Instance, 'name' | 'fullName'>): readonly string[] {
  const namespace = fullName.slice(0, fullName.indexOf('/'));
  return [name, `${name}.${namespace}`, `${name}.instance.${namespace}`];
}

function grantOf({ results: [result] }: StoreAnswer): QuotaGrant {
  if (result === undefined || !result.isCharged) {
    const { retryAfterMs } = result ?? {};
    return { grantedAmount: 0, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  return { grantedAmount: result.granted, validDurationMs: result.validMs };
}

function textsOf(dimensions: ReadonlyMap<string, AttributeValue> = new Map()): ReadonlyMap<string, string> {
  return new Map(Array.from(dimensions, ([name, value]) => [name, valueText(value)]));
}

/** One lookup for each set of dimensions that overrides name, however many overrides there are. */
function amountFinder({ overrides, ...own }: CountedQuota): FindAmount {
  const tables = new Map<string, { readonly names: readonly string[]; readonly places: Map<string, number> }>();
  for (const [place, { dimensions }] of overrides.entries()) {
    const names = Object.keys(dimensions).sort();
    const id = names.map(sized).join('');
    const table = tables.get(id) ?? { names, places: new Map<string, number>() };
    tables.set(id, table);
    const texts = names.map((name) => sized(dimensions[name] ?? '')).join('');
    if (!table.places.has(texts)) table.places.set(texts, place);
  }
  return (dimensions) => {
    let first = overrides.length;
    for (const { names, places } of tables.values()) {
      if (!names.every((name) => dimensions.has(name))) continue;
      const place = places.get(names.map((name) => sized(dimensions.get(name) ?? '')).join(''));
      if (place !== undefined && place < first) first = place;
    }
    return overrides[first] ?? own;
  };
}
