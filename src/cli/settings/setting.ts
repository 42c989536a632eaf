import type { ValueType } from '../values/parsed.js';

/** What is known of one setting, whether a flag or a variable: the single source for parsing, defaults, help and errors. */
export interface Setting<T> {
  /** Without dashes for a flag: `grpcAddr`, `NAV_HTTP10`. */
  readonly name: string;
  readonly type: ValueType<T>;
  /** In the same syntax as users write; empty for text that is not set. */
  readonly default: string;
  readonly meaning: string;
  /** Our own, beyond the settings that SPEC 4.3 to 4.6 list; help and documentation say so. Default false. */
  readonly addition?: boolean;
  /** For a value whose feature does not work yet: why it has no effect. */
  unlanded?(value: T): string | undefined;
}

/** A command-line flag (SPEC 4.3 to 4.5). */
export interface Flag<T> extends Setting<T> {
  /** One letter, used as `-n`. */
  readonly shorthand?: string;
}

/** An environment variable (SPEC 4.6). */
export interface Variable<T> extends Setting<T> {
  /** What takes its place when it is not set and has no default. */
  readonly whenUnset?: string;
  /** The empty text is a value of this variable, which turns something off. Default false: it counts as not set. */
  readonly takesEmpty?: boolean;
}

/** One flag for every field of the options. */
export type FlagTable<Fields> = { readonly [Key in keyof Fields]: Flag<Fields[Key]> };

/** One variable for every field of the options. */
export type VariableTable<Fields> = { readonly [Key in keyof Fields]: Variable<Fields[Key]> };

/**
 * Marks a setting without effect, for `unlanded`.
 *
 * @param why follows the setting's name in the warning at start
 * @param off the value that asks for nothing, and so needs no warning; default: empty text
 */
export function awaits<T>(why: string, off?: T): (value: T) => string | undefined {
  return (value) => (value === off || value === '' ? undefined : why);
}
