import type { ValueType } from '../../../expressions/expression-types.js';

/** A field of a template. */
export type TemplateField =
  | {
      /** One expression. */
      readonly type: 'value';
      /** Type of its value. `any`: each type. */
      readonly valueType: ValueType | 'any';
      readonly isRequired?: true;
    }
  /** Expressions by a name that the instance chooses. */
  | {
      readonly type: 'values';
      /** Type of each value. Default: each type. */
      readonly valueType?: ValueType | 'any';
    }
  | { readonly type: 'message'; readonly fields: TemplateFields };

export type TemplateFields = Readonly<Record<string, TemplateField>>;

/** A built-in template: the data that handlers get about a request. */
export interface CompiledTemplate {
  readonly name: string;
  /**
   * `check`: the handler allows or refuses the request. `quota`: it counts. `report`: it gets the data after the request.
   * `attributes`: it adds attributes.
   */
  readonly variety: 'check' | 'quota' | 'report' | 'attributes';
  readonly fields: TemplateFields;
  /** Fields without an effect, each with the reason as a sentence without its subject. Default: none. */
  readonly idleFields?: Readonly<Record<string, string>>;
  /** Present if instances have no effect in this mesh. Their fields are not checked then. */
  readonly idle?: string;
}
