import { camelCase } from '../catalogue/canonical-fields.js';
import type { TemplateField, TemplateFields } from '../catalogue/template-fields.js';
import type { FieldWire } from './template-wire.js';

/** The fields that instances of a template may have, by name in lowerCamelCase. */
export function templateFieldsOf(fields: readonly FieldWire[]): TemplateFields {
  return Object.fromEntries(fields.map((field) => [camelCase(field.name), templateFieldOf(field)]));
}

function templateFieldOf(field: FieldWire): TemplateField {
  switch (field.type) {
    case 'value':
      return { type: 'value', valueType: field.valueType };
    case 'values':
      return field.valueType === 'any' ? { type: 'values' } : { type: 'values', valueType: field.valueType };
    case 'message':
      return { type: 'message', fields: templateFieldsOf(field.fields) };
  }
}
