import type { Static } from 'typebox';
import * as Type from 'typebox';
import { isCidr, isIpAddress } from '../../../../base/ip-address.js';
import { parseDuration } from '../../../../base/parse-duration.js';
import { validateDuration } from '../../../duration-rules.js';
import { durationField } from '../../../policy/attributes.js';
import type { Immutable } from '../../../schema/immutable.js';
import type { Violation } from '../../../violation.js';
import { optionalText } from '../../fields.js';
import { RULE_LIMITS } from '../../limits.js';
import type { CompiledAdapter } from '../compiled-adapter.js';
import { reuseFields } from '../reuse-fields.js';
import { urlViolations } from './http-url.js';

const DURATIONS = ['refreshInterval', 'ttl', 'cachingInterval'] as const;

const schema = Type.Object(
  {
    providerUrl: optionalText('URL of the list: one entry on each line, or a list in YAML; empty: only overrides.'),
    refreshInterval: durationField({ description: 'How often the list is fetched.', default: '60s' }),
    ttl: durationField({ description: 'How long a list is used that cannot be fetched again.', default: '300s' }),
    cachingInterval: durationField({ description: 'How long an answer may be reused.', default: '300s' }),
    cachingUseCount: Type.Integer({
      description: 'How often an answer may be reused.',
      minimum: 0,
      maximum: 2147483647,
      default: 10_000,
    }),
    overrides: Type.Array(Type.String({ description: 'An entry.', maxLength: RULE_LIMITS.textLength }), {
      description: 'Entries that are read before the list.',
      default: [],
      maxItems: RULE_LIMITS.listEntries,
    }),
    entryType: Type.Enum(['STRINGS', 'CASE_INSENSITIVE_STRINGS', 'IP_ADDRESSES', 'REGEX'], {
      description: 'What entries are: texts, addresses with or without a prefix length, or expressions in RE2 syntax.',
      default: 'STRINGS',
    }),
    blacklist: Type.Boolean({ description: 'Whether entries are refused; otherwise all others are.', default: false }),
  },
  { additionalProperties: false, description: 'Parameters of listchecker.' },
);

export type ListcheckerParams = Immutable<Static<typeof schema>>;

/** A list is fetched no more often. */
const MIN_REFRESH_MS = 5_000;

/** How often a list is fetched. */
export function refreshMsOf(refreshInterval: string): number {
  return Math.max(MIN_REFRESH_MS, parseDuration(refreshInterval));
}

/** How long a list is used that cannot be fetched again. */
export function ttlMsOf({ ttl, refreshInterval }: Pick<ListcheckerParams, 'ttl' | 'refreshInterval'>): number {
  return Math.max(parseDuration(ttl), refreshMsOf(refreshInterval));
}

/** Compares a value with a list. */
export const listchecker: CompiledAdapter<ListcheckerParams> = {
  name: 'listchecker',
  templates: ['listentry'],
  schema,
  *validate(params, regexes) {
    const { providerUrl = '', overrides, entryType } = params;
    if (providerUrl !== '') yield* urlViolations('providerUrl', providerUrl);
    const durations = DURATIONS.flatMap((field) => [...validateDuration(field, params[field])]);
    yield* durations;
    if (durations.length === 0 && providerUrl !== '') yield* lifetimeViolations(params);
    for (const [index, entry] of overrides.entries()) {
      const path = `overrides[${index}]`;
      if (entryType === 'REGEX') yield* regexes(path, entry);
      if (entryType === 'IP_ADDRESSES' && !isIpAddress(entry) && !isCidr(entry)) {
        yield { path, value: entry, message: 'is not an address', remedy: 'use for example 10.1.2.3 or 10.0.0.0/8' };
      }
    }
    if (providerUrl === '' && overrides.length === 0) {
      yield {
        path: 'overrides',
        value: overrides,
        message: 'has no entries',
        remedy: 'add entries, or set providerUrl',
      };
    }
  },
  idle: ({ providerUrl = '', refreshInterval, cachingInterval, cachingUseCount }) => [
    ...(providerUrl === '' || parseDuration(refreshInterval) >= MIN_REFRESH_MS
      ? []
      : [{ path: 'refreshInterval', reason: `acts as ${MIN_REFRESH_MS / 1000}s: a list is fetched no more often` }]),
    ...reuseFields({ cachingInterval: [cachingInterval, '300s'], cachingUseCount: [cachingUseCount, 10_000] }),
  ],
};

/** Between two fetches there would be no list. */
function* lifetimeViolations({ ttl, refreshInterval }: ListcheckerParams): Iterable<Violation> {
  if (parseDuration(ttl) >= parseDuration(refreshInterval)) return;
  const message = `is shorter than refreshInterval (${refreshInterval}), so that the list would be missing between fetches`;
  yield { path: 'ttl', value: ttl, message, remedy: 'make it longer, for example 300s' };
}
