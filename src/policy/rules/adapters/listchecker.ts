import { parseDuration } from '../../../base/parse-duration.js';
import { inOneStep } from '../../../base/steps.js';
import {
  type ListcheckerParams,
  refreshMsOf,
  ttlMsOf,
} from '../../../config/policy-rules/catalogue/params/listchecker.js';
import { OK_STATUS } from '../../client/policy-status.js';
import { valueText } from '../value-text.js';
import type { Adapter, AdapterDecision, HandlerEnvironment } from './adapter.js';
import { type Contains, compileList } from './list/compile-list.js';
import { createFetchedList, type FetchedList } from './list/fetched-list.js';

/** Compares `value` of an instance with the entries of the parameters, and then with the list of a URL. */
export function buildListchecker(params: ListcheckerParams, environment: HandlerEnvironment): Adapter {
  const own = compileOwnList(params, environment);
  const fetched = openFetchedList(params, environment);
  const decide = createListDecision(params);
  return {
    check: ({ values }) => {
      const text = valueText(values.get('value'));
      const isOwn = own(text);
      return decide(text, isOwn === false && fetched !== undefined ? fetched.contains(text) : isOwn);
    },
    close: async () => fetched?.close(),
  };
}

/** The list of the parameters alone. */
export function compileOwnList(
  { entryType, overrides }: ListcheckerParams,
  { programs, namespace: owner }: Pick<HandlerEnvironment, 'programs' | 'namespace'>,
): Contains {
  return inOneStep(compileList(entryType, overrides, { programs, owner }));
}

/** The decision about a value that is in the list or not. */
export function createListDecision({
  blacklist,
  cachingInterval,
  cachingUseCount,
}: ListcheckerParams): (text: string, found: ReturnType<Contains>) => AdapterDecision {
  const caching = { validMs: parseDuration(cachingInterval), validUseCount: cachingUseCount };
  const allowed: AdapterDecision = { status: OK_STATUS, ...caching };
  const refused = (code: 'NOT_FOUND' | 'PERMISSION_DENIED' | 'INVALID_ARGUMENT', message: string): AdapterDecision => ({
    status: { code, message },
    ...caching,
  });
  return (text, found) => {
    if (found === 'unreadable') return refused('INVALID_ARGUMENT', `${shown(text)} is not an IP address`);
    if (found !== blacklist) return allowed;
    return blacklist
      ? refused('PERMISSION_DENIED', `${shown(text)} is blacklisted`)
      : refused('NOT_FOUND', `${shown(text)} is not whitelisted`);
  };
}

function openFetchedList(
  { providerUrl = '', entryType, ttl, refreshInterval }: ListcheckerParams,
  { handler, namespace, resources, programs, fetchText, background, clock, random, log }: HandlerEnvironment,
): FetchedList | undefined {
  if (providerUrl === '') return undefined;
  const endConnection = resources.connection();
  const list = createFetchedList({
    url: providerUrl,
    refreshMs: refreshMsOf(refreshInterval),
    ttlMs: ttlMsOf({ ttl, refreshInterval }),
    fetchText: (url) => fetchText(url, handler),
    compile: (entries) => compileList(entryType, entries, { programs, owner: namespace }),
    inBackground: (steps) => background.run(namespace, steps),
    ...{ clock, random, log },
  });
  return {
    contains: list.contains,
    close: () => {
      list.close();
      endConnection();
    },
  };
}

const SHOWN = 100;

function shown(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
