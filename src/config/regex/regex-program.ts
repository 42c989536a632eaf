import { RE2Set } from 're2js';
import { regexSize } from './regex-size.js';

/** Expressions that are compiled into one program and matched together. */
export interface RegexProgram {
  /** Current memory. Matching makes it grow, by at most `MAX_STATE_BYTES`. */
  bytes(): number;
  /** Indexes of the expressions that match, in ascending order. Time is linear in the text. */
  match(text: string): readonly number[];
}

/** Maximum memory of cached states. Beyond it re2js drops the states and computes them again when it needs them. */
const MAX_STATE_BYTES = 1024 * 1024;
/** Heap bytes per byte of states in re2js's own accounting; measured: 1.0 to 1.4. */
const STATE_FACTOR = 1.4;
/** Memory of a program apart from its instructions: tables for the first 256 characters, maps. */
const PROGRAM_BYTES = 8192;
/** Maximum work of a character apart from its instructions: computing a new state. */
const STATE_WORK = 100;
/** Programs with at most this many instructions have too few states to drop and compute again. */
const FEW_INSTRUCTIONS = 16;

/** What an expression must match: the whole text, or any part of it. */
export type RegexScope = 'whole text' | 'any part';

/** Upper bounds of the memory and work of a program. */
export interface ProgramSize {
  /** Without its growth by matching. */
  readonly bytes: number;
  /** Work of matching one character; see `MatchMeter`. */
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
 * Compiles expressions that `checkRegex` has accepted. A single expression also needs a set, because only sets accept a limit
 * for their states.
 *
 * @throws RE2JSException for an invalid expression
 */
export function compileProgram(
  texts: readonly string[],
  size: ProgramSize = programSize(texts),
  scope: RegexScope = 'whole text',
): RegexProgram {
  const anchor = scope === 'whole text' ? RE2Set.ANCHOR_BOTH : RE2Set.UNANCHORED;
  const set = new RE2Set(anchor, 0, MAX_STATE_BYTES);
  for (const text of texts) set.add(text);
  set.compile();
  // The parsed expressions are no longer needed, and take as much memory as the program.
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
