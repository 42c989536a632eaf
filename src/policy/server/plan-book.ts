import { isDeepStrictEqual } from 'node:util';
import type { Steps } from '../../base/steps.js';
import type { ResolvedPlan } from '../../config/plans/resolved-plan.js';
import type { BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import { createRegexBudget } from '../../config/regex/regex-budget.js';
import type { SharedProgram } from '../../config/regex/regex-programs.js';
import type { Logger } from '../../telemetry/logger.js';
import type { CompiledQuotaSpecs } from '../client/compile-quota-specs.js';
import type { ServicePlans } from '../plans/assess-plans.js';
import { type CompiledPlan, compilePlan, planConditionsOf } from '../plans/compile-plan.js';
import { type IndexedPlan, indexKeys } from '../plans/index-keys.js';
import { quotaLimitOf } from '../plans/plan-limits.js';
import type { ServiceConfigSource } from './compiled-services.js';
import { createPrepared, type Prepared, preparePolicies } from './prepare-policies.js';
import type { RegexService } from './regex-service.js';

/** The plans in force, compiled at the first request that needs them. */
export interface PlanBook {
  /** Takes new policies for calls that begin from now on. */
  observe(policies: ServiceConfigSource): void;
  /** The plans of a service; without a promise when they are compiled. */
  of(names: readonly string[]): ServicePlans | Promise<ServicePlans>;
}

type PlanSource = Pick<ServiceConfigSource, 'planNames' | 'plan'>;

/** Lists the limits of all plans, which the handler of quotas counts: the same list while no limit changes. */
export function createPlanLimits(): (policies: PlanSource) => readonly QuotaLimit[] {
  let last: readonly (readonly [string, ResolvedPlan['limits']])[] = [];
  let listed: readonly QuotaLimit[] = [];
  return ({ planNames = [], plan }) => {
    const next = planNames.map((name) => [name, plan?.(name)?.limits ?? []] as const);
    const isSame =
      next.length === last.length && next.every(([name, limits], at) => isSameEntry(last[at], name, limits));
    if (isSame) return listed;
    last = next;
    listed = next.flatMap(([name, limits]) => limits.map((limit) => quotaLimitOf(name, limit)));
    return listed;
  };
}

function isSameEntry(entry: readonly [string, unknown] | undefined, name: string, limits: unknown): boolean {
  return entry !== undefined && entry[0] === name && (entry[1] === limits || isDeepStrictEqual(entry[1], limits));
}

interface Compiled {
  readonly plan: CompiledPlan;
  readonly programs: readonly SharedProgram[];
}

export function createPlanBook(logger: Logger, regexes: RegexService): PlanBook {
  const prepared = new WeakMap<ResolvedPlan, Prepared<Compiled>>();
  let policies: PlanSource = {};
  /** Plans without expressions, by the list of names in a ServiceConfig. */
  let known = new WeakMap<readonly string[], ServicePlans>();

  function* compile(name: string, plan: IndexedPlan): Steps<Compiled> {
    const check = createRegexBudget({
      maxBytes: regexes.limits.serviceBytes,
      scope: 'of a plan',
      remedy: 'use fewer or smaller expressions in the plan, or raise NAV_REGEX_SERVICE_BYTES',
      check: regexes.check,
    });
    const programs: SharedProgram[] = [];
    const owner = name.slice(0, name.indexOf('/'));
    function* prepare(spec: BoundQuotaSpec | undefined): Steps<CompiledQuotaSpecs | undefined> {
      if (spec === undefined) return undefined;
      const options = { check, home: { programs: regexes.programs, owner } };
      const { quotas } = yield* preparePolicies({ quotaSpec: [spec] }, options);
      programs.push(...quotas.programs);
      if (quotas.problems.length > 0) regexes.leftOut('service', quotas.problems.length);
      for (const { field, message } of quotas.problems.slice(0, 1)) {
        logger.warn({ plan: name, field, problem: message }, 'unusable condition of a plan left out');
      }
      return quotas;
    }
    const { inclusion, limits } = planConditionsOf(plan);
    const conditions = { inclusion: yield* prepare(inclusion), limits: yield* prepare(limits) };
    const owners = plan.owners ?? (yield* indexKeys(plan.consumers));
    return { plan: compilePlan(name, plan, conditions, owners), programs };
  }

  const preparedOf = (name: string, plan: IndexedPlan): Prepared<Compiled> => {
    const found = prepared.get(plan);
    if (found !== undefined) return found;
    const next = createPrepared(
      regexes.work,
      name.slice(0, name.indexOf('/')),
      () => compile(name, plan),
      ({ programs }) => programs,
    );
    prepared.set(plan, next);
    return next;
  };

  return {
    observe: (next) => {
      policies = next;
      known = new WeakMap();
    },
    of: (names) => {
      const before = known.get(names);
      if (before !== undefined) return before;
      const found = names.map((name) => {
        const plan = policies.plan?.(name);
        return plan && preparedOf(name, plan).ready();
      });
      const isIncomplete = found.includes(undefined);
      const remember = (ready: readonly (Compiled | undefined)[]): ServicePlans => {
        const plans = ready.flatMap((each) => each?.plan ?? []);
        const servicePlans = { plans, isIncomplete };
        // Programs of expressions can be evicted.
        if (ready.every((each) => each?.programs.length === 0)) known.set(names, servicePlans);
        return servicePlans;
      };
      if (found.some((each) => each instanceof Promise)) return Promise.all(found).then(remember);
      return remember(found as readonly (Compiled | undefined)[]);
    },
  };
}
