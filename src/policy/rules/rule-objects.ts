import type { MeshObject } from '../../config/object.js';
import type { EncodedConfig } from '../../config/policy-rules/descriptors/adapter-config.js';
import type { TemplateVariety, TemplateWire } from '../../config/policy-rules/descriptors/template-wire.js';
import type { HandlerSpec } from '../../config/policy-rules/handler.js';
import type { InstanceSpec } from '../../config/policy-rules/instance.js';
import type { RuleSpec } from '../../config/policy-rules/rule.js';
import type { RuleCounts } from '../../config/policy-rules/rule-counts.js';
import type { AttributeTypes, ExpressionLanguage } from '../../expressions/expression-types.js';

/** The rules of a configuration. */
export interface RulesInForce {
  readonly rules: readonly RuleObject[];
  readonly counts: RuleCounts;
  /** Of all expressions. */
  readonly language: ExpressionLanguage;
}

export const NO_RULES: RulesInForce = {
  rules: [],
  counts: {
    adapters: 0,
    invalidAdapters: 0,
    attributes: 0,
    handlers: 0,
    invalidHandlers: 0,
    instances: 0,
    invalidInstances: 0,
    rules: 0,
    invalidRules: 0,
    invalidMatches: 0,
    templates: 0,
    invalidTemplates: 0,
  },
  language: 'legacy',
};

/**
 * Rules with what they name, as a snapshot or a discovery server gives them. An unchanged object keeps its identity, under
 * which its compiled form is kept.
 */
export interface RuleObject {
  /** `rule/<namespace>/<name>`, unique. */
  readonly key: string;
  readonly object: object;
  readonly spec: Pick<
    RuleSpec,
    'match' | 'sampling' | 'dryRun' | 'requestHeaderOperations' | 'responseHeaderOperations'
  >;
  /** The rule applies only to requests to services of this namespace; undefined: to all requests. */
  readonly namespace: string | undefined;
  readonly actions: readonly ActionObject[];
  /** The attributes that its expressions may read. */
  readonly attributes: AttributeTypes;
}

export interface ActionObject {
  readonly handler: HandlerObject;
  readonly instances: readonly InstanceObject[];
  /** Name by which header operations read the output. */
  readonly name?: string;
}

export interface HandlerObject {
  readonly key: string;
  /** Parameters have defaults and the spelling of the adapter's schema; those of an adapter of one's own are as written. */
  readonly spec: Pick<HandlerSpec, 'compiledAdapter' | 'params' | 'connection'>;
  readonly adapter: { readonly type: 'compiled' } | OwnAdapter;
  /** Of the adapter rbac. */
  readonly authorization?: HandlerAuthorization;
  /** Why the handler cannot run in this process. Default: it can. */
  readonly problem?: string;
}

/** The AuthorizationPolicies that a handler decides by. Plain data. */
export interface HandlerAuthorization {
  readonly policies: readonly MeshObject[];
  readonly rootNamespace: string;
  /** The only namespace about whose services the handler decides; undefined: all. */
  readonly namespace: string | undefined;
  /** The own trust domain and its aliases. */
  readonly trustDomains: readonly string[];
}

/** An adapter of one's own. Plain data, as all of these objects. */
export interface OwnAdapter {
  readonly type: 'own';
  /** Of its object. */
  readonly key: string;
  /** Whether it gets its parameters once for each session, not with each call. */
  readonly isSessionBased: boolean;
  /** Whether the mesh's operator wrote the handler. It may name any file of the policy server then. */
  readonly isOfOperator: boolean;
  /** The parameters; undefined for an adapter without any. */
  readonly config?: EncodedConfig;
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
  | { readonly type: 'own'; readonly wire: TemplateWire };

/** When instances of a template are made. `attributes`: never here, because proxies set the attributes. */
export type Variety = TemplateVariety;
