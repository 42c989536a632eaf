import { type AddressRange, parseAddressRange } from '../../../../base/address-range.js';
import type { Steps } from '../../../../base/steps.js';
import { createObjectRegexes } from '../../../../config/policy/object-regexes.js';
import type { ListcheckerParams } from '../../../../config/policy-rules/catalogue/params/listchecker.js';
import { createMatchMeter } from '../../../../config/regex/match-meter.js';
import type { RegexPrograms, SharedProgram } from '../../../../config/regex/regex-programs.js';
import { ListSyntaxError } from './parse-list.js';

/** Whether a value is in the list; `unreadable` for a value of another form. */
export type Contains = (value: string) => boolean | 'unreadable';

export interface CompiledWith {
  /** Shared by all handlers, with the scope `any part`. */
  readonly programs: RegexPrograms;
  /** The namespace that pays for the programs. */
  readonly owner: string;
}

/** Expressions that are matched together, so that their program stays small. */
const EXPRESSIONS_PER_PROGRAM = 32;
/** Addresses that are read between two pauses. */
const ADDRESSES_PER_STEP = 100;

/**
 * Compiles a list.
 *
 * @throws ListSyntaxError for an entry that cannot be read
 */
export function* compileList(
  entryType: ListcheckerParams['entryType'],
  entries: readonly string[],
  options: CompiledWith,
): Steps<Contains> {
  switch (entryType) {
    case 'CASE_INSENSITIVE_STRINGS': {
      const known = new Set(entries.map((entry) => entry.toLowerCase()));
      return (value) => known.has(value.toLowerCase());
    }
    case 'IP_ADDRESSES':
      return yield* compileAddresses(entries);
    case 'REGEX':
      return yield* compileExpressions(entries, options);
    default: {
      const known = new Set(entries);
      return (value) => known.has(value);
    }
  }
}

function* compileAddresses(entries: readonly string[]): Steps<Contains> {
  const ranges: AddressRange[] = [];
  for (const [index, entry] of entries.entries()) {
    const range = parseAddressRange(entry);
    if (range === undefined) throw new ListSyntaxError(`entry ${index + 1} is not an address`);
    ranges.push(range);
    if (ranges.length % ADDRESSES_PER_STEP === 0) yield;
  }
  const joined = joinRanges(ranges);
  return (value) => {
    const address = value.includes('/') ? undefined : parseAddressRange(value);
    if (address === undefined) return 'unreadable';
    const before = lastBeginningAtOrBefore(joined, address.first);
    return before !== undefined && address.first <= before.last;
  };
}

interface Joined {
  readonly first: string;
  readonly last: string;
}

/** Ranges in order, without overlaps. */
function joinRanges(ranges: readonly AddressRange[]): readonly Joined[] {
  const joined: Joined[] = [];
  for (const { first, last } of [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = joined.at(-1);
    if (before === undefined || before.last < first) joined.push({ first, last });
    else if (before.last < last) joined[joined.length - 1] = { first: before.first, last };
  }
  return joined;
}

function lastBeginningAtOrBefore(ranges: readonly Joined[], address: string): Joined | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.first ?? '') <= address) low = middle + 1;
    else high = middle;
  }
  return ranges[low - 1];
}

/** An expression may match any part of the value. */
function* compileExpressions(entries: readonly string[], { programs, owner }: CompiledWith): Steps<Contains> {
  const check = createObjectRegexes();
  const compiled: SharedProgram[] = [];
  for (let at = 0; at < entries.length; at += EXPRESSIONS_PER_PROGRAM) {
    const group = entries.slice(at, at + EXPRESSIONS_PER_PROGRAM);
    for (const [index, entry] of group.entries()) {
      const [problem] = check('', entry);
      if (problem !== undefined) throw new ListSyntaxError(`entry ${at + index + 1} ${problem.message}`);
    }
    yield;
    const program = programs.program(group, owner);
    program.compile();
    compiled.push(program);
    yield;
  }
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
