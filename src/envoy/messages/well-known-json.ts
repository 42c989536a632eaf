import { isRecord } from '../../base/record.js';
import type { MessageFields } from './message-problem.js';

/** The message of a well-known type, or the form that its JSON should have. */
export type WellKnown = { readonly message: MessageFields } | { readonly expected: string };

type ReadJson = (value: unknown) => WellKnown;

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
/** No value of Envoy is nested deeper. */
const MAX_DEPTH = 32;

/** Types whose JSON is not an object of their fields, by full name. */
export const WELL_KNOWN_JSON: Readonly<Record<string, ReadJson | undefined>> = {
  '.google.protobuf.Duration': readDuration,
  '.google.protobuf.Timestamp': readTimestamp,
  '.google.protobuf.Struct': (value) => {
    const message = toStruct(value, 0);
    return message === undefined ? { expected: 'a mapping that is at most 32 levels deep' } : { message };
  },
  '.google.protobuf.Value': (value) => {
    const message = toValue(value, 0);
    return message === undefined ? { expected: 'a value that is at most 32 levels deep' } : { message };
  },
  '.google.protobuf.ListValue': (value) => {
    const message = Array.isArray(value) ? toValue(value, 0) : undefined;
    return message === undefined ? { expected: 'a list' } : { message: message['listValue'] as MessageFields };
  },
};

/** Types that stand for one optional scalar, with the type of the scalar. */
export const WRAPPED_SCALARS: Readonly<Record<string, string | undefined>> = {
  '.google.protobuf.BoolValue': 'bool',
  '.google.protobuf.StringValue': 'string',
  '.google.protobuf.BytesValue': 'bytes',
  '.google.protobuf.Int32Value': 'int32',
  '.google.protobuf.UInt32Value': 'uint32',
  '.google.protobuf.Int64Value': 'int64',
  '.google.protobuf.UInt64Value': 'uint64',
  '.google.protobuf.FloatValue': 'float',
  '.google.protobuf.DoubleValue': 'double',
};

/** Types that are one value: a merge replaces them as a whole. */
export function isOneValue(fullName: string): boolean {
  return WELL_KNOWN_JSON[fullName] !== undefined || WRAPPED_SCALARS[fullName] !== undefined;
}

function readDuration(value: unknown): WellKnown {
  const [, sign, seconds, fraction = ''] = (typeof value === 'string' ? DURATION.exec(value) : null) ?? [];
  if (seconds === undefined) return { expected: 'a number of seconds such as "1.5s"' };
  const factor = sign === '-' ? -1 : 1;
  // Plus zero: a minus zero would be encoded.
  return {
    message: { seconds: factor * Number(seconds) + 0, nanos: factor * Number(fraction.padEnd(9, '0')) + 0 },
  };
}

function readTimestamp(value: unknown): WellKnown {
  const ms = typeof value === 'string' && value.length <= 64 ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) return { expected: 'a time such as "2026-01-31T12:00:00Z"' };
  const seconds = Math.floor(ms / 1000);
  return { message: { seconds, nanos: (ms - seconds * 1000) * 1_000_000 } };
}

function toStruct(value: unknown, depth: number): MessageFields | undefined {
  if (!isRecord(value) || depth > MAX_DEPTH) return undefined;
  const fields: MessageFields = Object.create(null) as MessageFields;
  for (const [key, each] of Object.entries(value)) {
    const converted = toValue(each, depth + 1);
    if (converted === undefined) return undefined;
    fields[key] = converted;
  }
  return { fields };
}

function toValue(value: unknown, depth: number): MessageFields | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (value === null) return { nullValue: 0 };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'string') return { stringValue: value };
  if (!Array.isArray(value)) {
    const structValue = toStruct(value, depth + 1);
    return structValue && { structValue };
  }
  const values: MessageFields[] = [];
  for (const each of value) {
    const converted = toValue(each, depth + 1);
    if (converted === undefined) return undefined;
    values.push(converted);
  }
  return { listValue: { values } };
}
