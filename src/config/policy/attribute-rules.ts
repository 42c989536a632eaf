import { validateDuration } from '../duration-rules.js';
import { childPath, type Violation } from '../violation.js';
import type { AttributesSpec, AttributeValueSpec } from './attributes.js';

const INT64 = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n };

/** Rules of attributes that their schema cannot express (docs/reference/validation-rules.md#httpapispec-rules). */
export function* validateAttributes(spec: AttributesSpec | undefined, path: string): Iterable<Violation> {
  for (const [name, value] of Object.entries(spec?.attributes ?? {})) {
    const field = childPath(`${path}.attributes`, name);
    yield* validateAttributeName(name, field);
    yield* validateInt64(value, `${field}.int64Value`);
    yield* validateTimestamp(value, `${field}.timestampValue`);
    yield* validateDuration(`${field}.durationValue`, value.durationValue);
  }
}

/** The name of an attribute is the key of a map, which a CRD cannot constrain. */
export function isAttributeName(name: string): boolean {
  return name !== '' && !/\s/.test(name);
}

export function* validateAttributeName(name: string, path: string): Iterable<Violation> {
  if (isAttributeName(name)) return;
  yield {
    path,
    message: name === '' ? 'is an attribute without a name' : 'is an attribute whose name contains a space',
    remedy: 'name the attribute, for example request.path',
  };
}

function* validateInt64({ int64Value: value }: AttributeValueSpec, path: string): Iterable<Violation> {
  if (value === undefined) return;
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return;
    yield { path, value, message: 'is too large for an exact JSON number', remedy: 'put it in quotes' };
    return;
  }
  const whole = BigInt(value);
  if (whole >= INT64.minimum && whole <= INT64.maximum) return;
  yield { path, value, message: 'does not fit in 64 bits', remedy: `use ${INT64.minimum} to ${INT64.maximum}` };
}

function* validateTimestamp({ timestampValue: value }: AttributeValueSpec, path: string): Iterable<Violation> {
  if (value === undefined || isTime(value)) return;
  yield { path, value, message: 'is not an existing time', remedy: 'use for example 2026-01-31T12:00:00Z' };
}

/** Whether a text in the form of RFC 3339 is an existing time. */
function isTime(text: string): boolean {
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  // Date converts 31 February to a day in March, so a day exists only if it stays the same. Date also accepts 24:00, which
  // RFC 3339 does not.
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return isDay && text.slice(11, 13) !== '24' && !Number.isNaN(Date.parse(text.toUpperCase()));
}
