import { checkRegex } from '../../config/regex/check-regex.js';
import type { RegexPrograms, SharedProgram } from '../../config/regex/regex-programs.js';
import { Failure } from '../values/failure.js';
import { shownText } from '../values/shown-text.js';
import type { EvaluateNode } from './evaluate-node.js';

/** Maximum compiled size of an expression that comes from a request: compiling it takes a fraction of a millisecond. */
const MAX_REQUEST_REGEX_BYTES = 64 * 1024;
/** Maximum characters of it. */
const MAX_REQUEST_REGEX_LENGTH = 256;
const OWNER = 'expressions';
const REQUEST_OWNER = 'requests';

/** A pattern that is a literal, which the check has accepted. */
export function compileLiteralMatch(text: EvaluateNode, pattern: string, programs: RegexPrograms): EvaluateNode {
  const program = programs.program([pattern], OWNER);
  return (bag, frame) => {
    const subject = text(bag, frame);
    if (subject instanceof Failure) return subject;
    return matches(program, subject as string, frame.meter);
  };
}

/** A pattern that an attribute or a function gives. */
export function compileComputedMatch(text: EvaluateNode, pattern: EvaluateNode, programs: RegexPrograms): EvaluateNode {
  return (bag, frame) => {
    const subject = text(bag, frame);
    if (subject instanceof Failure) return subject;
    const found = pattern(bag, frame);
    if (found instanceof Failure) return found;
    const regex = found as string;
    if (regex.length > MAX_REQUEST_REGEX_LENGTH) {
      return new Failure(
        `the regular expression ${shownText(regex)} has more than ${MAX_REQUEST_REGEX_LENGTH} characters`,
      );
    }
    const checked = checkRegex(regex, MAX_REQUEST_REGEX_BYTES);
    if (checked.type === 'error') return new Failure(`${shownText(regex)} ${checked.message}`);
    return matches(programs.program([regex], REQUEST_OWNER), subject as string, frame.meter);
  };
}

function matches(program: SharedProgram, subject: string, meter: { spend(work: number): boolean }): boolean | Failure {
  if (!meter.spend(subject.length * program.workPerCharacter)) {
    return new Failure(`the text has ${subject.length} characters, too many for this regular expression`);
  }
  return program.match(subject).length > 0;
}
