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
}
