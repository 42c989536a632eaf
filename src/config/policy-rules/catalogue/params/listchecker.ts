import type { Static } from 'typebox';
import * as Type from 'typebox';
import { isCidr, isIpAddress } from '../../../../base/ip-address.js';
import { validateDuration } from '../../../duration-rules.js';
import { durationField } from '../../../policy/attributes.js';
import type { Immutable } from '../../../schema/immutable.js';
import { optionalText } from '../../fields.js';
import { RULE_LIMITS } from '../../limits.js';
import type { CompiledAdapter } from '../compiled-adapter.js';

const DURATIONS = ['refreshInterval', 'ttl', 'cachingInterval'] as const;

const schema = Type.Object(
  {
    providerUrl: optionalText('URL of the list, with one entry on each line; empty: only overrides.'),
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

/** Compares a value with a list. */
export const listchecker: CompiledAdapter<ListcheckerParams> = {
  name: 'listchecker',
  templates: ['listentry'],
  schema,
  *validate(params, regexes) {
    const { providerUrl = '', overrides, entryType } = params;
    if (providerUrl !== '' && !isHttpUrl(providerUrl)) {
      const remedy = 'use a URL that begins with http:// or https://';
      yield { path: 'providerUrl', value: providerUrl, message: 'is not a URL', remedy };
    }
    for (const field of DURATIONS) yield* validateDuration(field, params[field]);
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
};

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
