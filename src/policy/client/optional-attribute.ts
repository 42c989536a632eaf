import {
  type AttributeValue,
  boolAttribute,
  bytesAttribute,
  stringAttribute,
  stringMapAttribute,
} from './attribute-value.js';

/** An attribute that is unset is absent, never empty: these make none of what is missing or empty. */
export function optionalString(value: string | undefined): AttributeValue | undefined {
  return value === undefined || value === '' ? undefined : stringAttribute(value);
}

export function optionalBytes(value: Uint8Array | undefined): AttributeValue | undefined {
  return value === undefined || value.length === 0 ? undefined : bytesAttribute(value);
}

export function optionalStringMap(value: ReadonlyMap<string, string> | undefined): AttributeValue | undefined {
  return value === undefined || value.size === 0 ? undefined : stringMapAttribute(value);
}

export function optionalBool(value: boolean | undefined): AttributeValue | undefined {
  return value === undefined ? undefined : boolAttribute(value);
}
