import type { AttributeTypes, ValueType } from '../../expressions/expression-types.js';
import type { TemplateWire } from './descriptors/template-wire.js';

/** An action whose output header operations may read. */
interface NamedAction {
  readonly name?: string;
  readonly handler: { readonly key: string };
  readonly instances: readonly {
    readonly key: string;
    readonly template: { readonly type: string; readonly wire?: TemplateWire };
  }[];
}

/** An output of an action that operations may read. */
export interface ActionOutput {
  /** As expressions read it. */
  readonly name: string;
  readonly type: ValueType;
  /** Keys. */
  readonly handler: string;
  readonly instance: string;
  readonly field: string;
}

/** The outputs of named actions, in their order. Only templates of one's own have outputs. */
export function actionOutputs(actions: readonly NamedAction[]): readonly ActionOutput[] {
  return actions.flatMap(({ name, handler, instances }) => {
    if (name === undefined) return [];
    return instances.flatMap(({ key, template }) =>
      (template.wire?.output?.fields ?? []).map(({ name: field, valueType }) => ({
        name: `${name}.output.${field}`,
        type: valueType,
        handler: handler.key,
        instance: key,
        field,
      })),
    );
  });
}

/** The types of outputs by name. Of several ones with the same name, the first one counts. */
export function outputTypes(outputs: readonly ActionOutput[]): ReadonlyMap<string, ValueType> {
  const types = new Map<string, ValueType>();
  for (const { name, type } of outputs) {
    if (!types.has(name)) types.set(name, type);
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
