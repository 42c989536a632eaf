import type { Steps } from '../../base/steps.js';
import type { ServiceConfig } from '../../config/policy/client-config.js';
import type { CheckRegex } from '../../config/regex/check-regex.js';
import type { SharedProgram } from '../../config/regex/regex-programs.js';
import { type CompiledApiSpecs, compileApiSpecs, type HttpApiSpecConfig } from '../client/compile-api-specs.js';
import {
  type CompiledQuotaSpecs,
  compileQuotaSpecs,
  type QuotaSpecConfig,
  type RegexOptions,
} from '../client/compile-quota-specs.js';
import { compileDryRun, type DryRunQuotas } from './dry-run-quotas.js';
import type { PacedWork } from './paced-work.js';

export interface CompiledPolicies {
  readonly api: CompiledApiSpecs;
  /** Of all specs. */
  readonly quotas: CompiledQuotaSpecs;
  /** Of the specs that the proxies of the service do not enforce themselves (docs/policies.md#exact-or-fast). */
  readonly exactQuotas: CompiledQuotaSpecs;
  /** Of specs in a dry run; undefined without any. */
  readonly dryRun: DryRunQuotas | undefined;
}

/**
 * Compiles specs in steps: first each expression is checked, then each program is compiled, with other work in between.
 *
 * @param options `check` must remember its results
 */
export function* preparePolicies(
  { httpApiSpec = [], quotaSpec = [] }: Partial<Pick<ServiceConfig, 'httpApiSpec' | 'quotaSpec'>>,
  options: RegexOptions & { readonly check: CheckRegex },
): Steps<CompiledPolicies> {
  for (const text of regexesOf(httpApiSpec, quotaSpec)) {
    options.check(text);
    yield;
  }
  const api = compileApiSpecs(httpApiSpec, options);
  yield;
  const quotas = compileQuotaSpecs(quotaSpec, options);
  yield;
  const exact = quotaSpec.filter(({ enforcement }) => enforcement !== 'fast');
  const exactQuotas = exact.length === quotaSpec.length ? quotas : compileQuotaSpecs(exact, options);
  yield;
  const dryRun = quotaSpec.some((spec) => spec.dryRun) ? compileDryRun(quotaSpec, options) : undefined;
  yield;
  const policies = { api, quotas, exactQuotas, dryRun };
  yield* compilePrograms(programsOf(policies));
  return policies;
}

/** The programs of all specs. */
export function programsOf({ api, quotas, exactQuotas, dryRun }: CompiledPolicies): readonly SharedProgram[] {
  return [...api.programs, ...quotas.programs, ...exactQuotas.programs, ...(dryRun?.specs.programs ?? [])];
}

/** Compiles evicted programs again. */
function* compilePrograms(programs: readonly SharedProgram[]): Steps<void> {
  for (const program of programs) {
    program.compile();
    yield;
  }
}

function* regexesOf(apis: readonly HttpApiSpecConfig[], quotas: readonly QuotaSpecConfig[]): Iterable<string> {
  for (const { patterns = [] } of apis) {
    for (const { regex } of patterns) if (regex !== undefined) yield regex;
  }
  for (const { rules = [] } of quotas) {
    for (const { match = [] } of rules) {
      for (const { clause = {} } of match) {
        for (const { regex } of Object.values(clause)) if (regex !== undefined) yield regex;
      }
    }
  }
}

/** A value that is compiled at its first use, and again after its programs were evicted. */
export interface Prepared<Value> {
  /** Without a promise when little or no work is left. */
  ready(): Value | Promise<Value>;
}

/** @param prepare makes the value; called once */
export function createPrepared<Value>(
  work: PacedWork,
  owner: string,
  prepare: () => Steps<Value>,
  programsOf: (value: Value) => readonly SharedProgram[],
): Prepared<Value> {
  let prepared: { readonly value: Value; readonly programs: readonly SharedProgram[] } | undefined;
  let pending: Promise<Value> | undefined;

  function* steps(): Steps<Value> {
    if (prepared === undefined) {
      const value = yield* prepare();
      prepared = { value, programs: programsOf(value) };
    }
    yield* compilePrograms(prepared.programs.filter((program) => !program.isCompiled()));
    return prepared.value;
  }
  return {
    ready: () => {
      if (prepared?.programs.every((program) => program.isCompiled())) return prepared.value;
      if (pending !== undefined) return pending;
      const result = work.run(owner, steps());
      if (!(result instanceof Promise)) return result;
      pending = result.finally(() => {
        pending = undefined;
      });
      return pending;
    },
  };
}
