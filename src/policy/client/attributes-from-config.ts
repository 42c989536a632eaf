import { DurationSyntaxError, parseDurationNs } from '../../base/parse-duration.js';
import { parseTimestampNs } from '../../base/parse-timestamp.js';
import type { AttributeLayer } from './attribute-bag.js';
import {
  type AttributeValue,
  boolAttribute,
  bytesAttribute,
  doubleAttribute,
  durationAttribute,
  stringAttribute,
  stringMapAttribute,
  timestampAttribute,
} from './attribute-value.js';

/**
 * The one-of as it is written in YAML and JSON (docs/reference/policy-kinds.md#attribute-values). Exactly one member is
 * set.
 */
export interface AttributeValueConfig {
  readonly stringValue?: string;
  /** A decimal text is also accepted, because JSON numbers lose digits above 2^53. */
  readonly int64Value?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  /** Base64, with or without padding, in the plain or the URL alphabet. */
  readonly bytesValue?: string;
  /** RFC 3339. */
  readonly timestampValue?: string;
  /** `10s`, `1.5s`, `1m30s`. */
  readonly durationValue?: string;
  readonly stringMapValue?: { readonly entries?: Readonly<Record<string, string>> };
}

/** Attributes of docs/reference/policy-kinds.md#attributes as they are written. */
export interface AttributesConfig {
  readonly attributes?: Readonly<Record<string, AttributeValueConfig>>;
}

/** An attribute that cannot be read; validated configuration does not get here. */
export class AttributeValueError extends Error {
  readonly code = 'INVALID_ATTRIBUTE_VALUE';
  /** Path of the value in its object. */
  readonly field: string;
  /** The problem and its remedy, as the text after the field. */
  readonly problem: string;

  constructor(field: string, problem: string) {
    super(`${field} ${problem}`);
    this.name = 'AttributeValueError';
    this.field = field;
    this.problem = problem;
  }
}

type Member = keyof AttributeValueConfig;

const READERS: { readonly [M in Member]: (value: NonNullable<AttributeValueConfig[M]>) => AttributeValue | undefined } =
  {
    stringValue: stringAttribute,
    int64Value: readInt64,
    doubleValue: doubleAttribute,
    boolValue: boolAttribute,
    bytesValue: readBytes,
    timestampValue: readTimestamp,
    durationValue: readDuration,
    stringMapValue: ({ entries }) => stringMapAttribute(new Map(Object.entries(entries ?? {}))),
  };

const MEMBERS: readonly string[] = Object.keys(READERS);

const EXPECTED: { readonly [M in Member]: string } = {
  stringValue: 'a text',
  int64Value: 'a whole number from -9223372036854775808 to 9223372036854775807',
  doubleValue: 'a number',
  boolValue: 'true or false',
  bytesValue: 'base64',
  timestampValue: 'a time in RFC 3339, such as 2026-01-31T12:00:00Z',
  durationValue: 'a duration, such as 10s, 1.5s or 1m30s',
  stringMapValue: 'entries that are texts',
};

/**
 * Reads one value.
 *
 * @param field path of the value in its object, for messages
 * @throws AttributeValueError when none or several members are set, or the member's text cannot be read
 */
export function readAttributeValue(config: AttributeValueConfig, field: string): AttributeValue {
  const given = MEMBERS.filter((member) => config[member as Member] !== undefined) as Member[];
  const [member] = given;
  if (member === undefined || given.length > 1) {
    const found = given.length === 0 ? 'none' : given.join(' and ');
    throw new AttributeValueError(field, `sets ${found}: set exactly one of ${MEMBERS.join(', ')}`);
  }
  const value = readMember(config, member);
  if (value !== undefined) return value;
  throw new AttributeValueError(
    `${field}.${member}`,
    `is ${JSON.stringify(config[member])}: write ${EXPECTED[member]}`,
  );
}

/** Reads all attributes into a layer, which can be shared by all requests. */
export function readAttributes(config: AttributesConfig | undefined, field: string): AttributeLayer {
  const layer = new Map<string, AttributeValue>();
  for (const [name, value] of Object.entries(config?.attributes ?? {})) {
    layer.set(name, readAttributeValue(value, `${field}.attributes[${JSON.stringify(name)}]`));
  }
  return layer;
}

function readMember<M extends Member>(config: AttributeValueConfig, member: M): AttributeValue | undefined {
  const value = config[member];
  return value === undefined ? undefined : READERS[member](value as NonNullable<AttributeValueConfig[M]>);
}

function readInt64(value: number | string): AttributeValue | undefined {
  const isWhole = typeof value === 'number' ? Number.isSafeInteger(value) : /^-?\d{1,19}$/.test(value);
  if (!isWhole) return undefined;
  const whole = BigInt(value);
  return BigInt.asIntN(64, whole) === whole ? { type: 'int64', value: whole } : undefined;
}

function readBytes(text: string): AttributeValue | undefined {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) return undefined;
  return bytesAttribute(new Uint8Array(Buffer.from(text, 'base64')));
}

function readTimestamp(text: string): AttributeValue | undefined {
  const epochNs = parseTimestampNs(text);
  return epochNs === undefined ? undefined : timestampAttribute(epochNs);
}

function readDuration(text: string): AttributeValue | undefined {
  try {
    return durationAttribute(parseDurationNs(text));
  } catch (error) {
    if (error instanceof DurationSyntaxError) return undefined;
    throw error;
  }
}
