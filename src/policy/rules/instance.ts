import type { TemplateWire } from '../../config/policy-rules/descriptors/template-wire.js';
import type { ValueType } from '../../expressions/expression-types.js';
import type { AttributeValue } from '../client/attribute-value.js';

/** The data of one request for a handler. */
export interface Instance {
  /** Name of its object. */
  readonly name: string;
  /** `namespace/name` of its object. */
  readonly fullName: string;
  readonly template: string;
  /** Fields with one value. */
  readonly values: ReadonlyMap<string, AttributeValue>;
  /** Fields with named values: `dimensions`, `variables`; `subject.properties` for one inside another. */
  readonly maps: ReadonlyMap<string, ReadonlyMap<string, AttributeValue>>;
  readonly types: InstanceTypes;
  /** Of a template of one's own. */
  readonly wire: TemplateWire | undefined;
}

/** The types of values, by the map that they are in (empty for none) and their name. The same for all requests. */
export type InstanceTypes = ReadonlyMap<string, ReadonlyMap<string, ValueType>>;
