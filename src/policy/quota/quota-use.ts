import type { Dimension } from '../../config/policy-server/dimension.js';
import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import { variantsOf } from './compile-limit.js';
import { credentialHash, shortKeyId } from './credential-hash.js';
import { digest, sized } from './dimension-text.js';
import { createOverrideIndex } from './override-index.js';
import type { CounterUse, QuotaStore } from './quota-store.js';
import { shareGroup, shareShape } from './shares/share-limits.js';

/** The live use of one quota. */
export interface QuotaUse {
  readonly quota: string;
  readonly maxAmount: number;
  readonly validDurationMs: number;
  readonly window: QuotaLimit['window'];
  /** The counters with the largest amounts, the largest first. */
  readonly keys: readonly KeyUse[];
  /** Number of counters that count something; undefined if the store knows only some of them. */
  readonly counters: number | undefined;
}

/** The live use of one combination of dimension values. */
export interface KeyUse {
  /** Names the counter, without its values. */
  readonly id: string;
  /** By dimension. Credentials are hashed. */
  readonly values: Readonly<Record<string, string>>;
  readonly used: number;
  readonly maxAmount: number;
  /** Of a fast quota: the part of `used` that proxies of this server hold, and have probably not used yet. */
  readonly held?: number;
}

/** What proxies hold of the counters of a group, by key. */
export type HeldOf = (group: string) => ReadonlyMap<string, number>;

/** Counters that a list shows of one quota. */
const MAX_KEYS = 50;

/** @throws PolicyTransportError when the store cannot be reached */
export async function readQuotaUse(
  limits: readonly QuotaLimit[],
  store: QuotaStore,
  heldOf: HeldOf = () => new Map(),
): Promise<readonly QuotaUse[]> {
  const uses: QuotaUse[] = [];
  for (const limit of limits) {
    const counters = await countersOf(limit, store);
    const { name: quota, maxAmount, validDurationMs, window } = limit;
    uses.push({
      ...{ quota, maxAmount, validDurationMs, window },
      keys: counters.listed.map(({ id, key, used, group, isFast }) => ({
        ...{ id, used, ...readKey(key, limit) },
        ...(isFast && { held: Math.round(heldOf(group).get(key) ?? 0) }),
      })),
      counters: counters.all,
    });
  }
  return uses;
}

/**
 * Forgets the amounts of a counter.
 *
 * @param id of `readQuotaUse`
 * @returns false if the counter is none of those that are listed now
 */
export async function resetCounter(
  limits: readonly QuotaLimit[],
  store: QuotaStore,
  quota: string,
  id: string,
): Promise<boolean> {
  const limit = limits.find(({ name }) => name === quota);
  const counter = limit && (await countersOf(limit, store)).listed.find((each) => each.id === id);
  if (counter === undefined) return false;
  await store.reset(counter);
  return true;
}

interface Counter extends CounterUse {
  readonly id: string;
  readonly group: string;
  readonly isFast: boolean;
}

async function countersOf(limit: QuotaLimit, store: QuotaStore) {
  const listed: Counter[] = [];
  let all: number | undefined = 0;
  const groups = variantsOf(limit).flatMap(({ group, shape }) => [
    { group, shape, isFast: false },
    { group: shareGroup(group), shape: shareShape(shape), isFast: true },
  ]);
  for (const { group, shape, isFast } of groups) {
    const use = await store.use({ group, shape }, MAX_KEYS);
    all = all === undefined || use.counters === undefined ? undefined : all + use.counters;
    for (const counter of use.largest) {
      listed.push({ ...counter, group, isFast, id: digest(sized(group) + counter.key) });
    }
  }
  listed.sort((first, second) => second.used - first.used);
  return { listed: listed.slice(0, MAX_KEYS), all };
}

function readKey(key: string, limit: QuotaLimit): Pick<KeyUse, 'values' | 'maxAmount'> {
  const { dimensions, maxAmount } = limit;
  const values = splitKey(key);
  // A long key is a hash, of which the values are not known.
  if (values === undefined) return { values: { [dimensions.map(({ text }) => text).join(', ')]: key }, maxAmount };
  const shown = dimensions.map((dimension, index): [string, string] => {
    const value = values[index] ?? '';
    return [dimension.text, shownValue(dimension, value, limit)];
  });
  return {
    values: Object.fromEntries(shown),
    maxAmount: createOverrideIndex(limit)(values)?.maxAmount ?? maxAmount,
  };
}

/** The values that `sized` has joined. */
function splitKey(key: string): readonly string[] | undefined {
  const values: string[] = [];
  for (let at = 0; at < key.length; ) {
    const colon = key.indexOf(':', at);
    const length = Number(key.slice(at, colon));
    if (colon === -1 || !Number.isInteger(length)) return undefined;
    values.push(key.slice(colon + 1, colon + 1 + length));
    at = colon + 1 + length;
  }
  return values;
}

/** Attributes that can contain credentials: an API can take its key from any header or parameter. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'request.api_key',
  'request.headers',
  'request.query_params',
  'request.path',
  'request.referer',
]);

function shownValue(dimension: Dimension, value: string, limit: QuotaLimit): string {
  if (dimension.attribute === 'api.key_id') return shortKeyId(value);
  return isCredential(dimension, limit) && value !== '' ? credentialHash(value) : value;
}

function isCredential({ attribute, text }: Dimension, { keys }: QuotaLimit): boolean {
  return CREDENTIALS.has(attribute) || keys?.dimension.text === text;
}
