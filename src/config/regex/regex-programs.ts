import { DEFAULT_REGEX_LIMITS } from './regex-limits.js';
import { compileProgram, type ProgramSize, programSize, type RegexProgram, type RegexScope } from './regex-program.js';

/** Expressions that are matched together. Compiled at the first match. */
export interface SharedProgram {
  /** Whether the program is compiled now. */
  isCompiled(): boolean;
  /** Compiles the program if necessary: about 10 ms for the largest. */
  compile(): void;
  /** Maximum work of matching one character. */
  readonly workPerCharacter: number;
  /** Matches a text. Compiles the program if it is not compiled, or was evicted. */
  match(text: string): readonly number[];
}

/** Compiled programs in limited memory. All users of the same expressions share a program. */
export interface RegexPrograms {
  /**
   * @param texts expressions that `checkRegex` accepts
   * @param owner a namespace; programs of the owner with the most memory are evicted first
   */
  program(texts: readonly string[], owner: string): SharedProgram;
  /** Memory of all compiled programs. */
  readonly bytes: number;
  readonly size: number;
}

export interface RegexProgramsOptions {
  /** `programsBytes` of the limits. */
  readonly maxBytes?: number;
  /** What all expressions must match. Default: the whole text. */
  readonly scope?: RegexScope;
  /** Called after a program was compiled or evicted. */
  readonly changed?: (bytes: number, count: number) => void;
  /** Called after a program was evicted. */
  readonly evicted?: (owner: string) => void;
}

interface Entry {
  readonly program: RegexProgram;
  readonly owner: string;
  bytes: number;
  usedAt: number;
}

/** Eviction frees memory down to this share of the limit, so that not every new program evicts. */
const KEPT_SHARE = 0.9;

/**
 * Keeps programs by their texts. Evicts the least recently used programs, first of the owner with the most memory. An
 * evicted program is compiled again at its next match.
 */
export function createRegexPrograms(options: RegexProgramsOptions = {}): RegexPrograms {
  const { maxBytes = DEFAULT_REGEX_LIMITS.programsBytes, scope, evicted, changed } = options;
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
      entry = { program: compileProgram(texts, size, scope), owner, bytes: 0, usedAt: 0 };
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
