import { ipAddressBytes } from '../../base/ip-address.js';
import type { AttributesSpec, AttributeValueSpec } from '../../config/policy/attributes.js';

/** Attributes as they are written, by name. What is undefined or empty is left out. */
export function attributesOf(values: Readonly<Record<string, AttributeValueSpec | undefined>>): AttributesSpec {
  const attributes: Record<string, AttributeValueSpec> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) attributes[name] = value;
  }
  return { attributes };
}

/** Both, the second's values where both have a name. */
export function mergeAttributes(first: AttributesSpec, second: AttributesSpec): AttributesSpec {
  return { attributes: { ...first.attributes, ...second.attributes } };
}

export function textValue(value: string | undefined): AttributeValueSpec | undefined {
  return value ? { stringValue: value } : undefined;
}

/** An address in network byte order: 4 bytes or 16. */
export function addressValue(address: string | undefined): AttributeValueSpec | undefined {
  const bytes = address === undefined ? undefined : ipAddressBytes(address);
  return bytes && { bytesValue: Buffer.from(bytes).toString('base64') };
}
