import { RE2Set } from 're2js';
import { regexSize } from './regex-size.js';

/** Expressions that are compiled into one program and matched at once. */
export interface RegexProgram {
  /** What it takes now; matching makes it grow, by `MAX_STATE_BYTES` at most. */
  bytes(): number;
  /** Indexes of the expressions that match the whole text, in ascending order. Time is linear in the text. */
  match(text: string): readonly number[];
}

/** States that matching keeps. Beyond it they are dropped, and made again where they are needed. */
const MAX_STATE_BYTES = 1024 * 1024;
/** Heap that a byte of re2js's own account of its states takes, measured: 1.0 to 1.4. */
const STATE_FACTOR = 1.4;
/** What a program has beside its instructions: tables for the first 256 characters, maps. */
const PROGRAM_BYTES = 8192;
/** What a character costs at worst beside its instructions: making states anew. */
const STATE_WORK = 100;
/** Programs of so few instructions have too few states to make them anew again and again. */
const FEW_INSTRUCTIONS = 16;

/** Upper bounds of what a program takes. */
export interface ProgramSize {
  /** Without what matching makes it grow by. */
  readonly bytes: number;
  /** Of matching one character; see `MatchMeter`. */
  readonly workPerCharacter: number;
}

export function programSize(texts: readonly string[]): ProgramSize {
  let bytes = PROGRAM_BYTES;
  let instructions = 0;
  for (const text of texts) {
    const size = regexSize(text);
    if (size.type === 'oversized') continue;
    bytes += size.bytes;
    instructions += size.instructions;
  }
  return { bytes, workPerCharacter: instructions <= FEW_INSTRUCTIONS ? 2 : instructions + STATE_WORK };
}

/**
 * Compiles expressions that `checkRegex` has accepted. A set is used for a single one too, because only sets take a
 * bound for their states.
 *
 * @throws RE2JSException for an expression that it refuses
 */
export function compileProgram(texts: readonly string[], size: ProgramSize = programSize(texts)): RegexProgram {
  const set = new RE2Set(RE2Set.ANCHOR_BOTH, 0, MAX_STATE_BYTES);
  for (const text of texts) set.add(text);
  set.compile();
  // The parsed expressions are of no more use, and take as much as the program.
  set.regexps = [];
  const states = set.dfa as unknown as { readonly maxMem: number; readonly memBudget: number };
  return {
    bytes: () => size.bytes + STATE_FACTOR * (states.maxMem - states.memBudget),
    match: (text) => {
      const matching = set.match(text);
      return matching.length < 2 ? matching : matching.sort((a, b) => a - b);
    },
  };
}
