import type { ValueType } from '../expression-types.js';

/** What expressions compute with, by type. */
export interface NativeValues {
  readonly STRING: string;
  /** Within 64 bits. */
  readonly INT64: bigint;
  readonly DOUBLE: number;
  readonly BOOL: boolean;
  /** Nanoseconds since 1970-01-01T00:00:00Z. */
  readonly TIMESTAMP: bigint;
  /** Network byte order. No bytes: the default of an absent address. */
  readonly IP_ADDRESS: Uint8Array;
  readonly EMAIL_ADDRESS: string;
  readonly URI: string;
  readonly DNS_NAME: string;
  /** Nanoseconds. */
  readonly DURATION: bigint;
  readonly STRING_MAP: ReadonlyMap<string, string>;
}

export type ScalarValue = NativeValues[ValueType];

/** A list exists only inside an expression of CEL. */
export type NativeValue = ScalarValue | readonly NativeValue[];
