import type { MeshObject } from '../../../config/object.js';
import type { QuotaSpec } from '../../../config/policy/quota-spec.js';
import { memoize } from '../../../model/memo.js';
import type { FastSpecs } from '../../../model/policy/fast/fast-specs.js';
import { createServicePolicies, type PolicyContext } from '../../../model/policy/service-policies.js';
import type { Service } from '../../../model/service.js';

/** The services of a snapshot to which fast QuotaSpecs are bound. */
export interface FastServices {
  /** Undefined for a service without a fast QuotaSpec. */
  find(service: Service): FastService | undefined;
}

export interface FastService {
  readonly specs: FastSpecs;
  /**
   * Whether proxies of the service enforce all quotas of HTTP requests, so that no request has to be checked. Plans are
   * for the policy server alone: proxies do not know the keys of consumers.
   */
  readonly isEnough: boolean;
  /** Names the content of both. */
  readonly key: string;
}

const NONE: FastServices = { find: () => undefined };

/** Resolves policies only in a mesh that has a fast QuotaSpec. */
export function createFastServices(): (context: PolicyContext) => FastServices {
  const policiesOf = createServicePolicies();
  const isAnyFast = memoize((specs: ReadonlyMap<string, MeshObject>) =>
    [...specs.values()].some(({ body }) => (body as QuotaSpec).enforcement === 'fast'),
  );
  let nextId = 0;
  const idOf = memoize((_specs: FastSpecs) => nextId++);
  return (context) => {
    const specs = context.objects.get('QuotaSpec');
    if (specs === undefined || !isAnyFast(specs)) return NONE;
    const policies = policiesOf(context);
    return {
      find: (service) => {
        const bound = policies.bindings.quotaSpecsOf(service);
        if (!bound.some(({ body }) => body.enforcement === 'fast')) return undefined;
        const fast = policies.fastSpecsOf(service);
        const { quotaSpec, plans = [] } = policies.configOf(service);
        const isEnough = plans.length === 0 && quotaSpec.every(({ enforcement }) => enforcement === 'fast');
        return { specs: fast, isEnough, key: `${idOf(fast)} ${isEnough}` };
      },
    };
  };
}
