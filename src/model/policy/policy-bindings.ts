import type { MeshObject } from '../../config/object.js';
import type { HttpApiSpecBinding, QuotaSpecBinding } from '../../config/policy/bindings.js';
import type { BoundHttpApiSpec, BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import type { PushContext } from '../push-context.js';
import type { BoundService } from './bound-services.js';
import { restrictHttpApiSpec, restrictQuotaSpec } from './label-conditions.js';
import { type PlanBindings, resolvePlanBindings } from './plans/plan-bindings.js';
import { type ResolvedBindings, resolveBindings } from './resolve-bindings.js';

export type QuotaSpecObject = MeshObject<'QuotaSpec', BoundQuotaSpec>;
export type HttpApiSpecObject = MeshObject<'HTTPAPISpec', BoundHttpApiSpec>;

/**
 * The QuotaSpecs, HTTPAPISpecs and Plans of each service (docs/reference/policy-kinds.md#quotaspecbinding,
 * docs/reference/policy-kinds.md#httpapispec; docs/reference/policy-kinds.md#binding-resolution).
 */
export interface PolicyBindings {
  readonly quotas: ResolvedBindings<QuotaSpecObject>;
  readonly apis: ResolvedBindings<HttpApiSpecObject>;
  readonly plans: PlanBindings;
  /** Each once, sorted by key. Services with the same specs share one array. */
  quotaSpecsOf(service: BoundService): readonly QuotaSpecObject[];
  /** Each once, sorted by key. Services with the same specs share one array. */
  apiSpecsOf(service: BoundService): readonly HttpApiSpecObject[];
}

/** The parts of a snapshot that bindings are resolved from. */
export type BindingContext = Pick<PushContext, 'objects' | 'domain' | 'bindingGrants'>;

/** Resolves the bindings of a snapshot. */
export function resolvePolicyBindings({ objects, domain, bindingGrants: grants }: BindingContext): PolicyBindings {
  const quotas = resolveBindings<QuotaSpecObject>({
    specKind: 'QuotaSpec',
    bindings: [...(objects.get('QuotaSpecBinding')?.values() ?? [])],
    specs: objects.get('QuotaSpec') ?? new Map(),
    domain,
    grants,
    services: ({ body }) => (body as QuotaSpecBinding).services,
    references: ({ body }) => (body as QuotaSpecBinding).quotaSpecs,
    restrict: restrictQuotaSpec,
  });
  const apis = resolveBindings<HttpApiSpecObject>({
    specKind: 'HTTPAPISpec',
    bindings: [...(objects.get('HTTPAPISpecBinding')?.values() ?? [])],
    specs: objects.get('HTTPAPISpec') ?? new Map(),
    domain,
    grants,
    services: ({ body }) => (body as HttpApiSpecBinding).services,
    references: ({ body }) => (body as HttpApiSpecBinding).apiSpecs,
    restrict: restrictHttpApiSpec,
  });
  return {
    quotas,
    apis,
    plans: resolvePlanBindings({ objects, domain, bindingGrants: grants }),
    quotaSpecsOf: (service) => quotas.specsOf(service),
    apiSpecsOf: (service) => apis.specsOf(service),
  };
}
