import type { AttributeTypes, ValueType } from '../../expressions/expression-types.js';
import type { TemplateWire } from './descriptors/template-wire.js';

/** An action whose output header operations may read. */
interface NamedAction {
  readonly name?: string;
  readonly instances: readonly { readonly template: { readonly type: string; readonly wire?: TemplateWire } }[];
}

/** The name by which a header operation reads an output of an action. */
export function outputName(action: string, field: string): string {
  return `${action}.output.${field}`;
}

/**
 * The types of the outputs of named actions, by `outputName`. Only templates of one's own have outputs. Of several instances
 * with an output of the same name, the first one counts.
 */
export function outputTypes(actions: readonly NamedAction[]): ReadonlyMap<string, ValueType> {
  const types = new Map<string, ValueType>();
  for (const { name, instances } of actions) {
    if (name === undefined) continue;
    for (const { template } of instances) {
      for (const field of template.wire?.output?.fields ?? []) {
        const output = outputName(name, field.name);
        if (!types.has(output)) types.set(output, field.valueType);
      }
    }
  }
  return types;
}

/** Attributes and outputs. */
export function withOutputs(attributes: AttributeTypes, outputs: ReadonlyMap<string, ValueType>): AttributeTypes {
  if (outputs.size === 0) return attributes;
  return {
    typeOf: (name) => outputs.get(name) ?? attributes.typeOf(name),
    names: () => [...attributes.names(), ...outputs.keys()],
  };
}
