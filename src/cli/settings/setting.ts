import type { ValueType } from '../values/parsed.js';

/** A flag or a variable. Parsing, defaults, help and error messages all use this definition. */
export interface Setting<T> {
  /** The name, for a flag without dashes: `grpcAddr`, `NAV_HTTP10`. */
  readonly name: string;
  readonly type: ValueType<T>;
  /** The default, in the syntax of users; empty: not set. */
  readonly default: string;
  readonly meaning: string;
  /**
   * Whether Navigator adds the setting to the command line that it was specified with. Help and docs mark it. Default:
   * false.
   */
  readonly addition?: boolean;
  /** The reason why a value has no effect; undefined if its feature is implemented. */
  unimplemented?(value: T): string | undefined;
}

/** A command-line flag. */
export interface Flag<T> extends Setting<T> {
  /** One letter, used as `-n`. */
  readonly shorthand?: string;
}

/** An environment variable. */
export interface Variable<T> extends Setting<T> {
  /** The behaviour without the variable, if it has no default. */
  readonly whenUnset?: string;
  /** Whether an empty text is a value. Default: false, an empty variable counts as not set. */
  readonly takesEmpty?: boolean;
}

/** One flag for every field of the options. */
export type FlagTable<Fields> = { readonly [Key in keyof Fields]: Flag<Fields[Key]> };

/** One variable for every field of the options. */
export type VariableTable<Fields> = { readonly [Key in keyof Fields]: Variable<Fields[Key]> };

/**
 * Makes the function `unimplemented` of a setting.
 *
 * @param why the reason, for the warning at start
 * @param off the value that turns the feature off, which needs no warning; default: empty text
 */
export function awaits<T>(why: string, off?: T): (value: T) => string | undefined {
  return (value) => (value === off || value === '' ? undefined : why);
}

/** The reasons why settings have no effect, one per feature. */
export const UNIMPLEMENTED = {
  agent:
    'it configures a proxy agent; stock Envoy gets certificates and gateway credentials from this process over SDS',
  catalog: 'the Catalog registry is not implemented yet',
  mcp: 'the MCP source is not implemented yet',
  metadataExchange:
    'stock Envoy does not contain a filter for TCP metadata exchange; peers are known by their certificates',
  pod: 'the injector sets it for the proxies of pods, and this process does not read it',
} as const;
