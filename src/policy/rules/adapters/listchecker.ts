import { overlaps, parseAddressRange } from '../../../base/address-range.js';
import { parseDuration } from '../../../base/parse-duration.js';
import type { ListcheckerParams } from '../../../config/policy-rules/catalogue/params/listchecker.js';
import { createMatchMeter } from '../../../config/regex/match-meter.js';
import { createRegexPrograms } from '../../../config/regex/regex-programs.js';
import { OK_STATUS } from '../../client/policy-status.js';
import { valueText } from '../value-text.js';
import type { Adapter, AdapterDecision } from './adapter.js';

/** Whether a value is in the list; `unreadable` for a value of another form. */
type Contains = (value: string) => boolean | 'unreadable';

/** Expressions that are matched together, so that their program stays small. */
const EXPRESSIONS_PER_PROGRAM = 32;

/**
 * Compares `value` of an instance with a list.
 *
 * @throws Error for a list by URL, which policy servers do not fetch
 */
export function buildListchecker(params: ListcheckerParams): Adapter {
  if (params.providerUrl) {
    throw new Error('params.providerUrl: lists are not fetched by URL: write the entries into params.overrides');
  }
  const { blacklist, cachingInterval, cachingUseCount } = params;
  const contains = listOf(params);
  const caching = { validMs: parseDuration(cachingInterval), validUseCount: cachingUseCount };
  const allowed: AdapterDecision = { status: OK_STATUS, ...caching };
  const refused = (code: 'NOT_FOUND' | 'PERMISSION_DENIED' | 'INVALID_ARGUMENT', message: string): AdapterDecision => ({
    status: { code, message },
    ...caching,
  });
  return {
    check: ({ values }) => {
      const text = valueText(values.get('value'));
      const found = contains(text);
      if (found === 'unreadable') return refused('INVALID_ARGUMENT', `${shown(text)} is not an IP address`);
      if (found !== blacklist) return allowed;
      return blacklist
        ? refused('PERMISSION_DENIED', `${shown(text)} is blacklisted`)
        : refused('NOT_FOUND', `${shown(text)} is not whitelisted`);
    },
    close: async () => undefined,
  };
}

function listOf({ entryType, overrides }: ListcheckerParams): Contains {
  switch (entryType) {
    case 'CASE_INSENSITIVE_STRINGS': {
      const entries = new Set(overrides.map((entry) => entry.toLowerCase()));
      return (value) => entries.has(value.toLowerCase());
    }
    case 'IP_ADDRESSES':
      return addressList(overrides);
    case 'REGEX':
      return regexList(overrides);
    default: {
      const entries = new Set(overrides);
      return (value) => entries.has(value);
    }
  }
}

function addressList(entries: readonly string[]): Contains {
  const ranges = entries.map(parseAddressRange).filter((range) => range !== undefined);
  const single = new Set(ranges.flatMap(({ first, last }) => (first === last ? first : [])));
  const wide = ranges.filter(({ first, last }) => first !== last);
  return (value) => {
    const address = value.includes('/') ? undefined : parseAddressRange(value);
    if (address === undefined) return 'unreadable';
    return single.has(address.first) || wide.some((range) => overlaps(range, address));
  };
}

/** An expression may match any part of the value. */
function regexList(entries: readonly string[]): Contains {
  const programs = createRegexPrograms({ scope: 'any part' });
  const groups: string[][] = [];
  for (let at = 0; at < entries.length; at += EXPRESSIONS_PER_PROGRAM) {
    groups.push(entries.slice(at, at + EXPRESSIONS_PER_PROGRAM));
  }
  const compiled = groups.map((group) => programs.program(group, 'listchecker'));
  return (value) => {
    const meter = createMatchMeter();
    return compiled.some((program) => {
      if (!meter.spend(value.length * program.workPerCharacter)) {
        throw new Error(`the value has ${value.length} characters, too many for the expressions of the list`);
      }
      return program.match(value).length > 0;
    });
  };
}

const SHOWN = 100;

function shown(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
