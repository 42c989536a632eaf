import type { HandlerSpec } from '../../config/policy-rules/handler.js';
import type { InstanceSpec } from '../../config/policy-rules/instance.js';
import type { RuleSpec } from '../../config/policy-rules/rule.js';
import type { AttributeTypes } from '../../expressions/expression-types.js';

/**
 * Rules with what they name, as a snapshot or a discovery server gives them. An unchanged object keeps its identity, under
 * which its compiled form is kept.
 */
export interface RuleObject {
  /** `rule/<namespace>/<name>`, unique. */
  readonly key: string;
  readonly object: object;
  readonly spec: Pick<RuleSpec, 'match'>;
  /** The rule applies only to requests to services of this namespace; undefined: to all requests. */
  readonly namespace: string | undefined;
  readonly actions: readonly ActionObject[];
  /** The attributes that its expressions may read. */
  readonly attributes: AttributeTypes;
}

export interface ActionObject {
  readonly handler: HandlerObject;
  readonly instances: readonly InstanceObject[];
}

export interface HandlerObject {
  readonly key: string;
  /** Parameters have defaults and the spelling of the adapter's schema. */
  readonly spec: Pick<HandlerSpec, 'compiledAdapter' | 'params'>;
}

export interface InstanceObject {
  readonly key: string;
  readonly object: object;
  readonly spec: Pick<InstanceSpec, 'params'>;
  readonly template: InstanceTemplate;
  readonly attributes: AttributeTypes;
}

export type InstanceTemplate =
  | { readonly type: 'compiled'; readonly template: { readonly name: string; readonly variety: Variety } }
  /** A template of one's own, for adapters that are programs of their own. */
  | { readonly type: 'own' };

/** When instances of a template are made. `attributes`: never here, because proxies set the attributes. */
export type Variety = 'check' | 'quota' | 'report' | 'attributes';
