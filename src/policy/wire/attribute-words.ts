import { GLOBAL_WORDS } from './global-words.js';
import { PolicyWireError } from './policy-wire-error.js';

/** The words of the protocol as the sender of a message has them. */
export interface GlobalWords {
  /** Their number, which the message contains. */
  readonly count: number;
  /** Numbers by word. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** @param count the first words of the protocol alone, for a receiver that knows no more; default all */
export function createGlobalWords(count: number = GLOBAL_WORDS.length): GlobalWords {
  const known = GLOBAL_WORDS.slice(0, count);
  return { count: known.length, numbers: new Map(known.map((word, number) => [word, number])) };
}

/** Gives words their numbers, for one message. */
export interface WordWriter {
  /** A new word gets the next negative number. */
  numberOf(word: string): number;
  /** The words of the message: -1 is the first. */
  readonly words: readonly string[];
}

export function createWordWriter({ numbers }: GlobalWords): WordWriter {
  const own = new Map<string, number>();
  const words: string[] = [];
  return {
    words,
    numberOf: (word) => {
      const known = numbers.get(word) ?? own.get(word);
      if (known !== undefined) return known;
      const number = -words.push(word);
      own.set(word, number);
      return number;
    },
  };
}

/**
 * Looks words up by number.
 *
 * @param field path of the number, for the error
 * @throws PolicyWireError for a number without a word
 */
export type WordReader = (number: number, field: string) => string;

/**
 * @param words of the message
 * @param globalCount the number of protocol words that the sender knows
 */
export function createWordReader(words: readonly string[], globalCount: number): WordReader {
  return (number, field) => {
    if (number < 0) {
      const word = words[-number - 1];
      if (word !== undefined) return word;
      throw new PolicyWireError(field, `is word ${number}, but the message has ${words.length} words: send the word`);
    }
    if (number >= globalCount) {
      const problem = `is word ${number} of the protocol, but global_word_count is ${globalCount}: send the number of known words`;
      throw new PolicyWireError(field, problem);
    }
    const word = GLOBAL_WORDS[number];
    if (word !== undefined) return word;
    const problem = `is word ${number} of the protocol, but the receiver knows only ${GLOBAL_WORDS.length}: limit the sender to these, or update the receiver`;
    throw new PolicyWireError(field, problem);
  };
}
