import type { Writer } from 'protobufjs';
import type { FieldType } from './descriptor-set.js';
import { wireLong } from './wire-long.js';

/** How values of a scalar type are read from YAML, and written. */
export interface ScalarType {
  /** Remedy for other values. */
  readonly remedy: string;
  readonly wireType: 0 | 1 | 2 | 5;
  /** Undefined for a value of another type. */
  read(value: unknown): ((writer: Writer) => void) | undefined;
}

type Scalar = Exclude<FieldType, 'message' | 'enum'>;

export const SCALAR_TYPES: Readonly<Record<Scalar, ScalarType>> = {
  double: floating(1, (writer, value) => writer.double(value)),
  float: floating(5, (writer, value) => writer.float(value)),
  int64: whole(64, true, 0, (writer, value) => writer.int64(wireLong(value))),
  uint64: whole(64, false, 0, (writer, value) => writer.uint64(wireLong(value))),
  int32: whole(32, true, 0, (writer, value) => writer.int32(Number(value))),
  fixed64: whole(64, false, 1, (writer, value) => writer.fixed64(wireLong(value))),
  fixed32: whole(32, false, 5, (writer, value) => writer.fixed32(Number(value))),
  uint32: whole(32, false, 0, (writer, value) => writer.uint32(Number(value))),
  sfixed32: whole(32, true, 5, (writer, value) => writer.sfixed32(Number(value))),
  sfixed64: whole(64, true, 1, (writer, value) => writer.sfixed64(wireLong(value))),
  sint32: whole(32, true, 0, (writer, value) => writer.sint32(Number(value))),
  sint64: whole(64, true, 0, (writer, value) => writer.sint64(wireLong(value))),
  bool: {
    remedy: 'use true or false',
    wireType: 0,
    read: (value) => (typeof value === 'boolean' ? (writer) => writer.bool(value) : undefined),
  },
  string: {
    remedy: 'use a text, in quotes if it looks like a number',
    wireType: 2,
    read: (value) => (typeof value === 'string' ? (writer) => writer.string(value) : undefined),
  },
  bytes: {
    remedy: 'use bytes in base64',
    wireType: 2,
    read: (value) => {
      if (typeof value !== 'string' || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value))
        return undefined;
      return (writer) => writer.bytes(Buffer.from(value, 'base64'));
    },
  },
};

const FLOAT_NAMES = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

function floating(wireType: 1 | 5, write: (writer: Writer, value: number) => void): ScalarType {
  return {
    remedy: 'use a number',
    wireType,
    read: (value) => {
      const number = typeof value === 'string' ? FLOAT_NAMES.get(value) : value;
      return typeof number === 'number' ? (writer) => write(writer, number) : undefined;
    },
  };
}

/** Numbers of 64 bits may be texts, because JSON rounds them. */
function whole(
  bits: 32 | 64,
  isSigned: boolean,
  wireType: 0 | 1 | 5,
  write: (writer: Writer, value: bigint) => void,
): ScalarType {
  const [least, most] = isSigned
    ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
    : [0n, 2n ** BigInt(bits) - 1n];
  return {
    remedy: `use a whole number from ${least} to ${most}`,
    wireType,
    read: (value) => {
      const number = wholeNumber(value);
      if (number === undefined || number < least || number > most) return undefined;
      return (writer) => write(writer, number);
    },
  };
}

function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}
