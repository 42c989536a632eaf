/** The result of parsing the text of a setting. */
export type Parsed<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Set if another value is used than the text says. Names that value. */
      readonly warning?: string;
    }
  | {
      readonly ok: false;
      /** The allowed values. Follows "must be" in the message. */
      readonly allowed: string;
    };

/** The type of a flag or variable: its name in help, and its parser. */
export interface ValueType<T> {
  /** The name in help, for example `duration`. */
  readonly name: string;
  /** Whether a flag of this type needs no value; without one it is `true`. */
  readonly standsAlone?: boolean;
  /** @param occurrences all texts of the setting, in order; never empty */
  parse(occurrences: readonly string[]): Parsed<T>;
}

/** A type with one value. Each occurrence must be valid, and the last one is used. */
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

/** A comma-separated list. The flag may be repeated. Spaces around members are removed, and an empty text has no members. */
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
