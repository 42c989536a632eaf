/** What became of a text that a user gave. */
export type Parsed<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Set when the value was not taken as written: what was done instead. */
      readonly warning?: string;
    }
  | {
      readonly ok: false;
      /** What would have been allowed, to follow "want" in a message. */
      readonly allowed: string;
    };

/** The type of a flag or variable: its name in help, and how its text is read. */
export interface ValueType<T> {
  /** As help shows it, for example `duration`. */
  readonly name: string;
  /** A flag of this type may stand alone, which means `true`. */
  readonly standsAlone?: boolean;
  /** @param occurrences every text given for the setting, in order; never empty */
  parse(occurrences: readonly string[]): Parsed<T>;
}

/** A type with one value: each occurrence must be good, and the last one counts. */
export function scalarType<T>(name: string, parseText: (text: string) => Parsed<T>): ValueType<T> {
  return {
    name,
    parse: (occurrences) => {
      let last: Parsed<T> = { ok: false, allowed: `a ${name}` };
      for (const text of occurrences) {
        last = parseText(text);
        if (!last.ok) {
          return last;
        }
      }
      return last;
    },
  };
}

/** A comma-separated list that may also be repeated; blanks around members are cut, an empty text has no members. */
export function commaListType<T>(name: string, parseMember: (text: string) => Parsed<T>): ValueType<readonly T[]> {
  return {
    name,
    parse: (occurrences) => {
      const members: T[] = [];
      for (const text of occurrences.flatMap(splitCommas)) {
        const member = parseMember(text);
        if (!member.ok) {
          return member;
        }
        members.push(member.value);
      }
      return { ok: true, value: members };
    },
  };
}

function splitCommas(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(',').map((member) => member.trim());
}
