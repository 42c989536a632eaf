import { DEFAULT_REGEX_LIMITS } from './regex-limits.js';
import { compileProgram, type ProgramSize, programSize, type RegexProgram } from './regex-program.js';

/** Expressions that are matched together, compiled when they are needed. */
export interface SharedProgram {
  /** Whether a match would compile nothing. */
  isCompiled(): boolean;
  /** Compiles it, unless it is: about 10 ms for the largest. */
  compile(): void;
  /** Work of matching one character, at worst. */
  readonly workPerCharacter: number;
  /** Compiles it where that is not done, or where its memory was needed for another meanwhile. */
  match(text: string): readonly number[];
}

/** Compiled programs, shared by all users of the same expressions, in a bounded amount of memory. */
export interface RegexPrograms {
  /**
   * @param texts expressions that `checkRegex` accepts
   * @param owner a namespace: memory is taken first from the owner with the most
   */
  program(texts: readonly string[], owner: string): SharedProgram;
  /** What all compiled programs take. */
  readonly bytes: number;
  readonly size: number;
}

export interface RegexProgramsOptions {
  /** `programsBytes` of the limits. */
  readonly maxBytes?: number;
  /** Called when a program was compiled or evicted. */
  readonly changed?: (bytes: number, count: number) => void;
  /** Called when a program had to go for others. */
  readonly evicted?: (owner: string) => void;
}

interface Entry {
  readonly program: RegexProgram;
  readonly owner: string;
  bytes: number;
  usedAt: number;
}

/** What is freed at once, so that not every new program has to look for the oldest. */
const KEPT_SHARE = 0.9;

/**
 * Keeps programs by their texts and evicts idle ones, those of the owner with the most first. An evicted program is
 * compiled again at its next match.
 */
export function createRegexPrograms(options: RegexProgramsOptions = {}): RegexPrograms {
  const { maxBytes = DEFAULT_REGEX_LIMITS.programsBytes, evicted, changed } = options;
  const entries = new Map<string, Entry>();
  const byOwner = new Map<string, number>();
  let bytes = 0;
  let uses = 0;

  const account = (entry: Entry, now: number): void => {
    const change = now - entry.bytes;
    if (change === 0) return;
    entry.bytes = now;
    bytes += change;
    byOwner.set(entry.owner, (byOwner.get(entry.owner) ?? 0) + change);
  };
  const remove = (key: string, entry: Entry): void => {
    entries.delete(key);
    account(entry, 0);
    if ((byOwner.get(entry.owner) ?? 0) <= 0) byOwner.delete(entry.owner);
    evicted?.(entry.owner);
    changed?.(bytes, entries.size);
  };
  const makeRoom = (kept: Entry): void => {
    while (bytes > maxBytes * KEPT_SHARE && entries.size > 1) {
      const [owner] = [...byOwner].reduce((most, each) => (each[1] > most[1] ? each : most));
      const mine = [...entries].filter(([, entry]) => entry.owner === owner && entry !== kept);
      const candidates = mine.length > 0 ? mine : [...entries].filter(([, entry]) => entry !== kept);
      candidates.sort(([, a], [, b]) => a.usedAt - b.usedAt);
      const share = candidates.slice(0, Math.ceil(candidates.length / 10));
      for (const [key, entry] of share) if (bytes > maxBytes * KEPT_SHARE) remove(key, entry);
    }
  };
  const entryOf = (key: string, texts: readonly string[], size: ProgramSize, owner: string): Entry => {
    let entry = entries.get(key);
    if (entry === undefined) {
      entry = { program: compileProgram(texts, size), owner, bytes: 0, usedAt: 0 };
      entries.set(key, entry);
      account(entry, entry.program.bytes());
      if (bytes > maxBytes) makeRoom(entry);
      changed?.(bytes, entries.size);
    }
    entry.usedAt = ++uses;
    return entry;
  };

  return {
    program: (texts, owner) => {
      const key = JSON.stringify(texts);
      const size = programSize(texts);
      const entry = (): Entry => entryOf(key, texts, size, owner);
      return {
        isCompiled: () => entries.has(key),
        compile: () => void entry(),
        workPerCharacter: size.workPerCharacter,
        match: (text) => {
          const current = entry();
          const matching = current.program.match(text);
          account(current, current.program.bytes());
          if (bytes > maxBytes) makeRoom(current);
          return matching;
        },
      };
    },
    get bytes() {
      return bytes;
    },
    get size() {
      return entries.size;
    },
  };
}
