import type { ValueType } from '../../../expressions/expression-types.js';

/**
 * A template as calls of adapters need it: plain data, which is read from a descriptor once and can be sent to other
 * processes.
 */
export interface TemplateWire {
  /** Of the template in its descriptor, which need not be that of the object. */
  readonly name: string;
  readonly variety: TemplateVariety;
  /** Path of the gRPC method: `/<package>.<service>/<method>`. */
  readonly method: string;
  /** Package of the messages InstanceMsg and Type. */
  readonly package: string;
  /** Numbers of the fields of the request. An adapter gets nothing of the absent ones. */
  readonly request: {
    /** Of `instance`, or `instances` of reports. */
    readonly instance: number;
    readonly adapterConfig?: number;
    readonly dedupId?: number;
    readonly quotaRequest?: number;
  };
  /** Number of the field for the name of the instance. */
  readonly instanceName?: number;
  readonly fields: readonly FieldWire[];
  /** Of a template with output. */
  readonly output?: {
    /** Numbers of the fields of the answer. */
    readonly result: number;
    readonly output: number;
    readonly fields: readonly OutputFieldWire[];
  };
}

/** `attributes`: handlers of the template set attributes, which this mesh never asks for. */
export type TemplateVariety = 'check' | 'quota' | 'report' | 'attributes';

/** A value with one type, or `any`: a message with the value and its type. */
export type LeafType = Exclude<ValueType, 'STRING_MAP'> | 'any';

export type FieldWire = { readonly name: string; readonly number: number } & (
  | { readonly type: 'value'; readonly valueType: LeafType }
  /** A map with texts as keys. */
  | { readonly type: 'values'; readonly valueType: LeafType }
  | { readonly type: 'message'; readonly fields: readonly FieldWire[] }
);

export interface OutputFieldWire {
  readonly name: string;
  readonly number: number;
  readonly valueType: Exclude<LeafType, 'any'> | 'STRING_MAP';
}
