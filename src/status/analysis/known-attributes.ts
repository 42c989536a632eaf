import { ipAddressText } from '../../base/ip-address.js';
import type { GeneratedAttributes, KnownAttributes } from '../../config/attributes/judge-attribute.js';
import type { AttributeValueSpec } from '../../config/policy/attributes.js';
import type { HttpApiSpec } from '../../config/policy/http-api-spec.js';
import { bindingLabelKeys } from '../../model/policy/label-conditions.js';
import type { PushContext } from '../../model/push-context.js';
import { createRegexMemo } from './overlap/regex-memo.js';

/** The facts of this snapshot that decide which attributes requests have, and which values. */
export function knownAttributesOf(objects: PushContext['objects']): KnownAttributes {
  return {
    generated: generatedAttributesOf(objects),
    labels: new Set(bindingLabelKeys({ objects })),
    matches: createRegexMemo({ beyond: true }),
  };
}

/** The attributes that HTTPAPISpecs set, with the texts that conditions are compared with. */
function generatedAttributesOf(objects: PushContext['objects']): GeneratedAttributes {
  const texts = new Map<string, Set<string>>();
  for (const [name, value] of attributesOfApis(objects)) addTexts(texts, name, value);
  return texts;
}

/** The attributes that HTTPAPISpecs set; a name comes once for each place that sets it. */
export function* attributesOfApis(
  objects: PushContext['objects'],
): Iterable<readonly [name: string, value: AttributeValueSpec]> {
  for (const { body } of objects.get('HTTPAPISpec')?.values() ?? []) {
    const { attributes, patterns } = body as HttpApiSpec;
    for (const spec of [attributes, ...patterns.map((pattern) => pattern.attributes)]) {
      yield* Object.entries(spec?.attributes ?? {});
    }
  }
}

/** Conditions compare 4 or 16 bytes as the text of an IP address. */
function addressOf(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : ipAddressText(Buffer.from(base64, 'base64'));
}

function addTexts(texts: Map<string, Set<string>>, name: string, value: AttributeValueSpec): void {
  const add = (key: string, text: string | undefined): void => {
    const known = texts.get(key) ?? new Set<string>();
    texts.set(key, text === undefined ? known : known.add(text));
  };
  // Conditions never match numbers, times or whole maps (docs/reference/policy-kinds.md#stringmatch).
  add(name, value.stringValue ?? addressOf(value.bytesValue));
  for (const [key, text] of Object.entries(value.stringMapValue?.entries ?? {})) add(`${name}[${key}]`, text);
}
