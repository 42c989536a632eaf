import type { MeshObject, ObjectKey } from '../../../config/object.js';
import type { AdapterSpec } from '../../../config/policy-rules/adapter.js';
import type { CompiledAdapter } from '../../../config/policy-rules/catalogue/compiled-adapter.js';
import type { CompiledTemplate, TemplateFields } from '../../../config/policy-rules/catalogue/template-fields.js';
import type { EncodedConfig } from '../../../config/policy-rules/descriptors/adapter-config.js';
import type { TemplateWire } from '../../../config/policy-rules/descriptors/template-wire.js';
import type { HandlerSpec } from '../../../config/policy-rules/handler.js';
import type { InstanceSpec } from '../../../config/policy-rules/instance.js';
import type { RuleSpec } from '../../../config/policy-rules/rule.js';
import type { AttributeTypes } from '../../../expressions/expression-types.js';
import type { HandlerAuthorization } from './authorization-of.js';

/** The adapter of a handler: a built-in one, or an object. */
export type ResolvedAdapter =
  | { readonly type: 'compiled'; readonly adapter: CompiledAdapter }
  | {
      readonly type: 'own';
      readonly key: ObjectKey;
      readonly spec: AdapterSpec;
      readonly templates: readonly ObjectKey[];
      readonly isSessionBased: boolean;
      /** Whether the mesh's operator wrote the handler, which may then name any file of the policy server. */
      readonly isOfOperator: boolean;
      /** The parameters of the handler; undefined for an adapter without any. */
      readonly config?: EncodedConfig;
    };

export interface ResolvedHandler {
  readonly key: ObjectKey;
  /** Keeps its identity while the object does not change, so a dispatcher can keep what it has made of it. */
  readonly object: MeshObject;
  readonly spec: HandlerSpec;
  readonly adapter: ResolvedAdapter;
  /** Of the adapter rbac. */
  readonly authorization?: HandlerAuthorization;
}

/** The template of an instance: a built-in one, or an object. */
export type ResolvedTemplate =
  | { readonly type: 'compiled'; readonly template: CompiledTemplate }
  | {
      readonly type: 'own';
      readonly key: ObjectKey;
      readonly object: MeshObject;
      readonly wire: TemplateWire;
      readonly fields: TemplateFields;
    };

export interface ResolvedInstance {
  readonly key: ObjectKey;
  readonly object: MeshObject;
  readonly spec: InstanceSpec;
  readonly template: ResolvedTemplate;
  /** The attributes that its expressions may read. */
  readonly attributes: AttributeTypes;
}

export interface ResolvedAction {
  readonly handler: ResolvedHandler;
  /** At least one. */
  readonly instances: readonly ResolvedInstance[];
  /** Name by which header operations read the output. */
  readonly name?: string;
}

export interface ResolvedRule {
  readonly key: ObjectKey;
  readonly object: MeshObject;
  readonly spec: RuleSpec;
  /** The rule applies only to requests to services of this namespace; undefined: to all requests. */
  readonly namespace: string | undefined;
  /** The actions that can be run, in the order of the rule. */
  readonly actions: readonly ResolvedAction[];
  /** The attributes that its expressions may read. */
  readonly attributes: AttributeTypes;
}
