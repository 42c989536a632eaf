import type { Writer } from 'protobufjs';
import { DurationSyntaxError, parseDurationNs } from '../../../base/parse-duration.js';
import { parseTimestampNs } from '../../../base/parse-timestamp.js';
import type { FieldType } from './descriptor-set.js';
import { SCALAR_TYPES } from './scalar-values.js';
import { wireLong } from './wire-long.js';

/** A message of google.protobuf that is one value in YAML. */
export interface WellKnownType {
  readonly remedy: string;
  /** Writes the content of the message. Undefined for a value of another type. */
  read(value: unknown): ((writer: Writer) => void) | undefined;
}

const NANOSECONDS = 1_000_000_000n;

/** The messages of google.protobuf with a form of their own, by name. `unusable`: their values have any form. */
export const WELL_KNOWN_TYPES: ReadonlyMap<string, WellKnownType | 'unusable'> = new Map<
  string,
  WellKnownType | 'unusable'
>([
  ['Duration', { remedy: 'use for example 500ms or 10m', read: readDuration }],
  ['Timestamp', { remedy: 'use for example 2026-01-31T12:00:00Z', read: readTimestamp }],
  ['DoubleValue', wrapper('double')],
  ['FloatValue', wrapper('float')],
  ['Int64Value', wrapper('int64')],
  ['UInt64Value', wrapper('uint64')],
  ['Int32Value', wrapper('int32')],
  ['UInt32Value', wrapper('uint32')],
  ['BoolValue', wrapper('bool')],
  ['StringValue', wrapper('string')],
  ['BytesValue', wrapper('bytes')],
  ...(['Any', 'Struct', 'Value', 'ListValue', 'FieldMask'] as const).map((name) => [name, 'unusable'] as const),
]);

function wrapper(type: Exclude<FieldType, 'message' | 'enum'>): WellKnownType {
  const { remedy, wireType, read } = SCALAR_TYPES[type];
  return {
    remedy,
    read: (value) => {
      const write = read(value);
      return write && ((writer) => write(writer.uint32(8 | wireType)));
    },
  };
}

function readDuration(value: unknown): ((writer: Writer) => void) | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const nanoseconds = parseDurationNs(value);
    return (writer) => writeDuration(writer, nanoseconds);
  } catch (error) {
    if (error instanceof DurationSyntaxError) return undefined;
    throw error;
  }
}

function readTimestamp(value: unknown): ((writer: Writer) => void) | undefined {
  const nanoseconds = typeof value === 'string' ? parseTimestampNs(value) : undefined;
  return nanoseconds === undefined ? undefined : (writer) => writeTimestamp(writer, nanoseconds);
}

/** The content of google.protobuf.Timestamp; its nanoseconds count forward. @param epochNs since 1970 */
export function writeTimestamp(writer: Writer, epochNs: bigint): void {
  const nanos = ((epochNs % NANOSECONDS) + NANOSECONDS) % NANOSECONDS;
  writeTime(writer, (epochNs - nanos) / NANOSECONDS, nanos);
}

/** The content of google.protobuf.Duration; its nanoseconds have the sign of the seconds. */
export function writeDuration(writer: Writer, nanoseconds: bigint): void {
  writeTime(writer, nanoseconds / NANOSECONDS, nanoseconds % NANOSECONDS);
}

function writeTime(writer: Writer, seconds: bigint, nanos: bigint): void {
  if (seconds !== 0n) writer.uint32(0x08).int64(wireLong(seconds));
  if (nanos !== 0n) writer.uint32(0x10).int32(Number(nanos));
}
