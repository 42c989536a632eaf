/** A scalar as protobufjs encodes it, or the form that its JSON should have. */
export type ScalarJson = { readonly scalar: unknown } | { readonly expected: string };

interface Range {
  readonly min: number;
  readonly max: number;
}

const INT32: Range = { min: -(2 ** 31), max: 2 ** 31 - 1 };
const UINT32: Range = { min: 0, max: 2 ** 32 - 1 };
/** Larger numbers of 64 bits lose digits on their way through JSON. */
const INT64: Range = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
const UINT64: Range = { min: 0, max: Number.MAX_SAFE_INTEGER };

const RANGES: Readonly<Record<string, Range | undefined>> = {
  int32: INT32,
  sint32: INT32,
  sfixed32: INT32,
  uint32: UINT32,
  fixed32: UINT32,
  int64: INT64,
  sint64: INT64,
  sfixed64: INT64,
  uint64: UINT64,
  fixed64: UINT64,
};

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const MAX_FLOAT = 3.4028234663852886e38;
/** Half of a character of UTF-16. Envoy rejects texts that are not UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Reads a scalar of a protobuf type from JSON. */
export function readScalar(type: string, value: unknown): ScalarJson {
  const range = RANGES[type];
  if (range !== undefined) return readInteger(range, value);
  switch (type) {
    case 'bool':
      return typeof value === 'boolean' ? { scalar: value } : { expected: 'true or false' };
    case 'string':
      return typeof value === 'string' && !LONE_SURROGATE.test(value) ? { scalar: value } : { expected: 'a text' };
    case 'bytes':
      return typeof value === 'string' && BASE64.test(value)
        ? { scalar: Buffer.from(value, 'base64') }
        : { expected: 'bytes in base64' };
    default: {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      const isNumber = typeof number === 'number' && Number.isFinite(number);
      const fits = isNumber && (type !== 'float' || Math.abs(number) <= MAX_FLOAT);
      return fits ? { scalar: number } : { expected: 'a number' };
    }
  }
}

function readInteger({ min, max }: Range, value: unknown): ScalarJson {
  const number = typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? Number(value) : value;
  const fits = typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max;
  return fits ? { scalar: number + 0 } : { expected: `a whole number from ${min} to ${max}` };
}
