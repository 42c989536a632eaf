import { POLICY_KINDS } from '../../config/kind-traits.js';
import type { ResolvedPlan } from '../../config/plans/resolved-plan.js';
import type { BoundHttpApiSpec, BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import type { ServiceConfig } from '../../config/policy/client-config.js';
import { memoize } from '../memo.js';
import type { PushContext } from '../push-context.js';
import type { Service } from '../service.js';
import type { FastSpecs } from './fast/fast-specs.js';
import { createFastSpecs, enforcedSpecs } from './fast/known-fast-specs.js';
import type { QuotaShapes } from './fast/quota-shapes.js';
import { keepObjects, type Objects } from './keep-objects.js';
import { failPolicyText, ownFailPolicyOf } from './own-fail-policy.js';
import type { PlanObject } from './plans/plan-bindings.js';
import { createPlanResolver, planNameOf } from './plans/resolved-plans.js';
import { type PolicyBindings, resolvePolicyBindings } from './policy-bindings.js';
import { configWithSpecs } from './service-config.js';

/** The policies of the services of one snapshot. */
export interface ServicePolicies {
  readonly bindings: PolicyBindings;
  /** Undefined for the host of no service. */
  find(hostname: string): ServiceConfig | undefined;
  /**
   * The configuration of a service, which may be one that only some namespaces see. It is the same object from snapshot
   * to snapshot while its content is the same, and services with equal specs share their arrays. Specs with
   * `enforcement: fast` are those that the proxies of the service enforce.
   */
  configOf(service: Service): ServiceConfig;
  /** The specs of a service that ask for `fast`. The same object while nothing changes that it depends on. */
  fastSpecsOf(service: Service): FastSpecs;
  /** The names of all plans. */
  readonly planNames: readonly string[];
  /** A plan with its consumers, by its name in ServiceConfigs. The same object while its content is the same. */
  plan(name: string): ResolvedPlan | undefined;
}

/** The parts of a snapshot that policies are made from. */
export type PolicyContext = Pick<
  PushContext,
  'mesh' | 'objects' | 'domain' | 'bindingGrants' | 'servicesByHost' | 'quotaShapes' | 'apiKeySecrets'
>;

interface Resolved {
  readonly domain: string;
  readonly bindingGrants: PushContext['bindingGrants'];
  /** As they are in the snapshot. */
  readonly tables: readonly (Objects | undefined)[];
  /** Replaces objects by the previous ones where only metadata changed. */
  readonly objects: ReadonlyMap<string, Objects>;
  readonly bindings: PolicyBindings;
  /** By name. */
  readonly plans: ReadonlyMap<string, PlanObject>;
}

/**
 * Builds the policies of each snapshot; call it with successive ones. Bindings are resolved again only when an object
 * of the policy kinds or a grant changes. A service gets another configuration only when it or one of its specs changes.
 */
export function createServicePolicies(): (context: PolicyContext) => ServicePolicies {
  const configs = new WeakMap<Service, ServiceConfig>();
  const quotaSpecs = createSpecBodies<BoundQuotaSpec>();
  const apiSpecs = createSpecBodies<BoundHttpApiSpec>();
  const fastSpecsOf = createFastSpecs();
  const planOf = createPlanResolver();
  let resolved: Resolved | undefined;

  const specsOf = (service: Service, bindings: PolicyBindings, shapes: QuotaShapes) => {
    const bodies = quotaSpecs.bodiesOf(bindings.quotaSpecsOf(service));
    const httpApiSpec = apiSpecs.bodiesOf(bindings.apiSpecsOf(service));
    const fast = fastSpecsOf(service, bodies, httpApiSpec, shapes);
    return { httpApiSpec, fast, quotaSpec: enforcedSpecs(bodies, fast) };
  };

  const configOf = (
    service: Service,
    { mesh, quotaShapes }: Pick<PolicyContext, 'mesh' | 'quotaShapes'>,
    bindings: PolicyBindings,
  ): ServiceConfig => {
    const { quotaSpec, httpApiSpec } = specsOf(service, bindings, quotaShapes);
    const plans = planNames(bindings.plans.plansOf(service));
    const failPolicy = ownFailPolicyOf(service, mesh.policy);
    const known = configs.get(service);
    const isSame =
      known !== undefined &&
      isSameList(known.quotaSpec, quotaSpec) &&
      isSameList(known.httpApiSpec, httpApiSpec) &&
      isSameList(known.plans ?? NO_PLANS, plans) &&
      isSameFailPolicy(known.networkFailPolicy, failPolicy);
    if (isSame) return known;
    const config = configWithSpecs(service, { quotaSpec, httpApiSpec, plans }, failPolicy);
    configs.set(service, config);
    return config;
  };
  return (context) => {
    const next = resolve(resolved, context);
    if (next !== resolved) {
      quotaSpecs.age();
      apiSpecs.age();
      resolved = next;
    }
    const { bindings, plans } = next;
    const { servicesByHost, quotaShapes, apiKeySecrets } = context;
    return {
      bindings,
      fastSpecsOf: (service) => specsOf(service, bindings, quotaShapes).fast,
      configOf: (service) => configOf(service, context, bindings),
      find: (hostname) => {
        const service = servicesByHost.get(hostname);
        return service && configOf(service, context, bindings);
      },
      planNames: [...plans.keys()],
      plan: (name) => {
        const plan = plans.get(name);
        return plan && planOf(plan, bindings.plans, apiKeySecrets);
      },
    };
  };
}

function resolve(previous: Resolved | undefined, { objects, domain, bindingGrants }: PolicyContext): Resolved {
  const tables = POLICY_KINDS.map((kind) => objects.get(kind));
  const isSame =
    previous?.domain === domain &&
    previous.bindingGrants === bindingGrants &&
    tables.every((table, index) => table === previous.tables[index]);
  if (isSame) return previous;
  const kept = new Map<string, Objects>(
    POLICY_KINDS.map((kind, index) => [kind, keepObjects(previous?.objects.get(kind), tables[index])]),
  );
  const bindings = resolvePolicyBindings({ objects: kept, domain, bindingGrants });
  const plans = new Map(
    [...(kept.get('Plan')?.values() ?? [])].map((plan) => [planNameOf(plan as PlanObject), plan as PlanObject]),
  );
  return { domain, bindingGrants, tables, objects: kept, bindings, plans };
}

const NO_PLANS: readonly string[] = [];

const planNames = memoize((plans: readonly PlanObject[]): readonly string[] => plans.map(planNameOf));

function isSameFailPolicy(
  first: ServiceConfig['networkFailPolicy'],
  second: ServiceConfig['networkFailPolicy'],
): boolean {
  if (first === undefined || second === undefined) return first === second;
  return failPolicyText(first) === failPolicyText(second);
}

function isSameList(first: readonly unknown[], second: readonly unknown[]): boolean {
  return first === second || (first.length === second.length && first.every((item, index) => item === second[index]));
}

/** The bodies of a list of specs. */
type Specs<Body> = readonly { readonly body: Body }[];

/** The bodies of lists of specs: equal lists give the same array, even after their objects were replaced. */
export interface SpecBodies<Body> {
  bodiesOf(specs: Specs<Body>): readonly Body[];
  /** Forgets the lists that were not used since the previous call. */
  age(): void;
}

function createSpecBodies<Body extends object>(): SpecBodies<Body> {
  const byList = new WeakMap<Specs<Body>, readonly Body[]>();
  const numbers = new WeakMap<Body, number>();
  let nextNumber = 1;
  let older = new Map<string, readonly Body[]>();
  let younger = new Map<string, readonly Body[]>();

  const numberOf = (body: Body): number => {
    let number = numbers.get(body);
    if (number === undefined) {
      number = nextNumber++;
      numbers.set(body, number);
    }
    return number;
  };
  return {
    bodiesOf: (specs) => {
      const known = byList.get(specs);
      if (known !== undefined) return known;
      const bodies = specs.map(({ body }) => body);
      const key = bodies.map(numberOf).join();
      const kept = younger.get(key) ?? older.get(key) ?? bodies;
      younger.set(key, kept);
      byList.set(specs, kept);
      return kept;
    },
    age: () => {
      older = younger;
      younger = new Map();
    },
  };
}
