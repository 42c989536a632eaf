import type { GeneratedAttributes } from '../../config/attributes/judge-attribute.js';
import type { AttributeValueSpec } from '../../config/policy/attributes.js';
import type { HttpApiSpec } from '../../config/policy/http-api-spec.js';
import type { PushContext } from '../../model/push-context.js';

/** The attributes that HTTPAPISpecs set, with the texts that conditions are held against. */
export function generatedAttributesOf(objects: PushContext['objects']): GeneratedAttributes {
  const texts = new Map<string, Set<string>>();
  for (const { body } of objects.get('HTTPAPISpec')?.values() ?? []) {
    const { attributes, patterns } = body as HttpApiSpec;
    for (const spec of [attributes, ...patterns.map((pattern) => pattern.attributes)]) {
      for (const [name, value] of Object.entries(spec?.attributes ?? {})) addTexts(texts, name, value);
    }
  }
  return texts;
}

function addTexts(texts: Map<string, Set<string>>, name: string, value: AttributeValueSpec): void {
  const add = (key: string, text: string | undefined): void => {
    const known = texts.get(key) ?? new Set<string>();
    texts.set(key, text === undefined ? known : known.add(text));
  };
  add(name, value.stringValue ?? value.int64Value?.toString() ?? value.boolValue?.toString());
  for (const [key, text] of Object.entries(value.stringMapValue?.entries ?? {})) add(`${name}[${key}]`, text);
}
