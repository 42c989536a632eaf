import { parseDuration } from '../../../base/parse-duration.js';
import type { MemquotaParams } from '../../../config/policy-rules/catalogue/params/memquota.js';
import type { AttributeValue } from '../../client/attribute-value.js';
import { boundedText, sized } from '../../quota/dimension-text.js';
import { createMemoryStore } from '../../quota/memory/memory-store.js';
import type { StoreAnswer } from '../../quota/quota-store.js';
import { type WindowShape, windowShape } from '../../quota/window-shape.js';
import type { Instance } from '../instance.js';
import { valueText } from '../value-text.js';
import type { Adapter, AdapterEnvironment, QuotaGrant } from './adapter.js';

type QuotaParams = MemquotaParams['quotas'][number];

/** How a quota counts a request. */
interface Amount {
  readonly maxAmount: number;
  readonly shape: WindowShape;
}

/** Finds the first override that applies, else the quota itself. */
type FindAmount = (dimensions: ReadonlyMap<string, string>) => Amount;

/** Counters of each quota at most; a further combination of dimensions evicts the one that was used least recently. */
const MAX_COUNTERS = 100_000;

/** Counts in rolling windows in the memory of this process. An instance without a quota in the parameters is granted. */
export function buildMemquota({ quotas }: MemquotaParams, { clock }: AdapterEnvironment): Adapter {
  const store = createMemoryStore({ clock, maxCounters: MAX_COUNTERS });
  const amounts = new Map(quotas.map((quota) => [quota.name, amountFinder(quota)]));
  const charge = (instance: Instance, find: FindAmount, amount: number, bestEffort: boolean, id?: string) => {
    const dimensions = textsOf(instance.maps.get('dimensions'));
    const { maxAmount, shape } = find(dimensions);
    const key = boundedText([...dimensions].map(([name, text]) => sized(name) + sized(text)).join(''));
    const group = `${sized(instance.fullName)}${shape.durationMs}`;
    const repetitionKey = id === undefined ? undefined : `${sized(id)}${sized(group)}${sized(key)}${amount}`;
    const counter = { group, key, shape };
    return store.charge({ repetitionKey, charges: [{ counter, amount, bestEffort, maxAmount }], timeoutMs: 0 });
  };
  return {
    quota: (instance, { amount, bestEffort, deduplicationId }) => {
      const find = namesOf(instance)
        .map((name) => amounts.get(name))
        .find((found) => found !== undefined);
      if (find === undefined) return { grantedAmount: amount };
      const answer = charge(instance, find, amount, bestEffort, deduplicationId);
      return answer instanceof Promise ? answer.then(grantOf) : grantOf(answer);
    },
    close: () => store.close(),
  };
}

/** The names that the parameters may have for an instance. */
function namesOf({ name, fullName }: Instance): readonly string[] {
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
function amountFinder(quota: QuotaParams): FindAmount {
  const own = amountOf(quota.maxAmount, quota.validDuration);
  const tables = new Map<string, { readonly names: readonly string[]; readonly places: Map<string, number> }>();
  const overrides = quota.overrides.map(({ dimensions, maxAmount, validDuration }, place) => {
    const names = Object.keys(dimensions).sort();
    const id = names.map(sized).join('');
    const table = tables.get(id) ?? { names, places: new Map<string, number>() };
    tables.set(id, table);
    const texts = names.map((name) => sized(dimensions[name] ?? '')).join('');
    if (!table.places.has(texts)) table.places.set(texts, place);
    return amountOf(maxAmount, validDuration ?? quota.validDuration);
  });
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

function amountOf(maxAmount: number, validDuration: string): Amount {
  return { maxAmount, shape: windowShape('rolling', Math.max(1, Math.round(parseDuration(validDuration)))) };
}
