import { errorText } from '../../base/error-text.js';
import type { KeyUse, QuotaUse } from '../../policy/quota/quota-use.js';
import type { SilentInstance } from '../instances.js';
import type { QuotaCounters } from '../quota-counters.js';
import type { Views } from '../views.js';
import { askAll, type Fields, numberIn, recordIn, recordsIn, textIn, textsIn } from './other-instances.js';

/** What one server has counted of a key. */
export interface ServerUse {
  /** Name of an instance or policy server; `OWN_SERVER` for the one that answers. */
  readonly server: string;
  readonly storage: QuotaCounters['storage'];
  readonly used: number;
  readonly maxAmount: number;
  /** Of a fast quota: the part that proxies of the server hold. */
  readonly held?: number;
}

/** The live use of one key at all servers. */
export interface SharedKey extends Pick<KeyUse, 'id' | 'values'> {
  readonly servers: readonly ServerUse[];
}

/** The live use of one quota at all servers. */
export interface SharedQuota extends Pick<QuotaUse, 'quota' | 'maxAmount' | 'validDurationMs' | 'window'> {
  readonly keys: readonly SharedKey[];
  /** Number of keys in use at the server that has most; undefined if no server knows its number. */
  readonly counters: number | undefined;
}

/** The live use of quotas, as far as the servers have told. */
export interface SharedUse {
  /** How this server counts; undefined while a remote server counts. */
  readonly storage: QuotaCounters['storage'] | undefined;
  readonly quotas: readonly SharedQuota[];
  /** Servers other than this one that have told their counters. */
  readonly others: readonly string[];
  /** Servers whose counters are missing. */
  readonly silent: readonly SilentInstance[];
}

export const OWN_SERVER = 'this server';
const PATH = '/debug/quotas';
const WINDOWS = ['fixed', 'rolling', 'week', 'month'] as const satisfies readonly QuotaUse['window'][];
/** Keys of one quota that a page lists. */
const MAX_KEYS = 50;

/** Asks the other instances, and the policy servers that are connected to this one. Each of them asks its own policy servers. */
export async function readSharedUse(views: Views): Promise<SharedUse> {
  const [own, instances, policyServers] = await Promise.all([
    ownUse(views),
    askAll(views.instances, PATH, readPart),
    askAll(views.policyServers, PATH, readPart),
  ]);
  const parts = [own, ...instances.found, ...policyServers.found];
  return {
    storage: own.storage,
    quotas: mergeQuotas(parts.flatMap(({ quotas }) => quotas)),
    others: parts.flatMap(({ others }) => others),
    silent: [...parts, instances, policyServers].flatMap(({ silent }) => silent),
  };
}

/** What all servers have used of a key: servers that share a Redis tell the same amount. */
export function usedOf({ servers }: Pick<SharedKey, 'servers'>): number {
  const amounts = (storage: QuotaCounters['storage']): readonly number[] =>
    servers.filter((each) => each.storage === storage).map(({ used }) => used);
  return amounts('memory').reduce((sum, used) => sum + used, 0) + Math.max(0, ...amounts('redis'));
}

async function ownUse({ quotas }: Views): Promise<SharedUse> {
  const counters = quotas?.();
  const none = { quotas: [], others: [], silent: [] };
  if (counters === undefined) return { storage: undefined, ...none };
  const { storage } = counters;
  try {
    const uses = await counters.use();
    return {
      ...none,
      storage,
      quotas: uses.map(({ keys, ...quota }) => ({
        ...quota,
        keys: keys.map(({ id, values, ...use }) => ({
          id,
          values,
          servers: [{ server: OWN_SERVER, storage, ...use }],
        })),
      })),
    };
  } catch (error) {
    return { ...none, storage, silent: [{ name: OWN_SERVER, reason: errorText(error) }] };
  }
}

/** The page of another server. */
function readPart(page: Fields, name: string): SharedUse {
  const nameOf = (fields: Fields, field: string): string => {
    const told = textIn(fields, field);
    return told === OWN_SERVER ? name : told;
  };
  const storageOf = (fields: Fields) => (textIn(fields, 'storage') === 'redis' ? 'redis' : 'memory');
  const texts = (fields: Fields): Record<string, string> =>
    Object.fromEntries(Object.keys(fields).map((each) => [each, textIn(fields, each)]));
  return {
    storage: storageOf(page),
    // A server where a remote one counts has told nothing.
    others: [...(textIn(page, 'storage') === '' ? [] : [name]), ...textsIn(page, 'otherServers')],
    silent: recordsIn(page, 'silentServers').map((each) => ({
      name: nameOf(each, 'name'),
      reason: textIn(each, 'reason'),
    })),
    quotas: recordsIn(page, 'quotas').map((quota) => ({
      quota: textIn(quota, 'quota'),
      maxAmount: numberIn(quota, 'maxAmount'),
      validDurationMs: numberIn(quota, 'validDurationMs'),
      window: WINDOWS.find((window) => window === textIn(quota, 'window')) ?? 'rolling',
      counters: typeof quota['counters'] === 'number' ? quota['counters'] : undefined,
      keys: recordsIn(quota, 'keys').map((key) => ({
        id: textIn(key, 'id'),
        values: texts(recordIn(key, 'values')),
        servers: recordsIn(key, 'servers').map((each) => ({
          server: nameOf(each, 'server'),
          storage: storageOf(each),
          used: numberIn(each, 'used'),
          maxAmount: numberIn(each, 'maxAmount'),
          ...(typeof each['held'] === 'number' && { held: each['held'] }),
        })),
      })),
    })),
  };
}

/** The limits are those of the first server that has told of a quota. */
function mergeQuotas(quotas: readonly SharedQuota[]): readonly SharedQuota[] {
  return merge(
    quotas,
    ({ quota }) => quota,
    (first, second) => ({
      ...first,
      counters:
        first.counters === undefined || second.counters === undefined
          ? (first.counters ?? second.counters)
          : Math.max(first.counters, second.counters),
      keys: mergeKeys([...first.keys, ...second.keys]),
    }),
  );
}

function mergeKeys(keys: readonly SharedKey[]): readonly SharedKey[] {
  const merged = merge(
    keys,
    ({ id }) => id,
    (first, second) => ({ ...first, servers: [...first.servers, ...second.servers] }),
  );
  return merged.toSorted((first, second) => usedOf(second) - usedOf(first)).slice(0, MAX_KEYS);
}

/** One item for each name, in the order of the first ones. */
function merge<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  join: (first: Item, second: Item) => Item,
): readonly Item[] {
  const byName = new Map<string, Item>();
  for (const item of items) {
    const known = byName.get(nameOf(item));
    byName.set(nameOf(item), known === undefined ? item : join(known, item));
  }
  return [...byName.values()];
}
