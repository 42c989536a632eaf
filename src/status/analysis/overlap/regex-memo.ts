import { createMatchMeter } from '../../../config/regex/match-meter.js';
import { programSize } from '../../../config/regex/regex-program.js';
import { createRegexPrograms, type SharedProgram } from '../../../config/regex/regex-programs.js';
import type { MatchesRegex } from './string-matches-overlap.js';

/** Estimated bytes of all programs of one analysis, which take some ten milliseconds to compile. */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * Compiles each regular expression once for one analysis, within a bound of memory and time, so that hostile
 * expressions cannot delay an answer.
 *
 * @param options.beyond the result once the bound is reached; default false, so that an overlap may be missed
 */
export function createRegexMemo({ maxBytes = MAX_BYTES, beyond = false } = {}): MatchesRegex {
  const programs = createRegexPrograms();
  const known = new Map<string, SharedProgram>();
  const meter = createMatchMeter();
  let bytes = 0;
  return (regex, text) => {
    let program = known.get(regex);
    if (program === undefined) {
      const more = programSize([regex]).bytes;
      if (bytes + more > maxBytes) return beyond;
      bytes += more;
      program = programs.program([regex], '');
      known.set(regex, program);
    }
    return meter.spend(program.workPerCharacter * text.length) ? program.match(text).length > 0 : beyond;
  };
}
