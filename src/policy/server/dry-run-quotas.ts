import type { AttributeBag } from '../client/attribute-bag.js';
import {
  type CompiledQuotaSpecs,
  compileQuotaSpecs,
  type QuotaCharge,
  type QuotaSpecConfig,
  type RegexOptions,
} from '../client/compile-quota-specs.js';

/** The QuotaSpecs of a service that are in a dry run. */
export interface DryRunQuotas {
  readonly specs: CompiledQuotaSpecs;
  /**
   * What a request would charge if the specs were enforced: their charges, and those of enforced specs for the same quotas.
   *
   * @param enforced charges of the request
   */
  chargesFor(bag: AttributeBag, enforced: readonly QuotaCharge[]): readonly QuotaCharge[];
}

/** @param specs of the service, of which those in a dry run are compiled */
export function compileDryRun(specs: readonly QuotaSpecConfig[], options: RegexOptions): DryRunQuotas {
  const compiled = compileQuotaSpecs(specs, { ...options, dryRun: true });
  const names = new Set(
    specs.flatMap(({ dryRun, rules = [] }) =>
      dryRun ? rules.flatMap(({ quotas = [] }) => quotas.map(({ quota }) => quota)) : [],
    ),
  );
  return {
    specs: compiled,
    chargesFor: (bag, enforced) => [...enforced.filter(({ quota }) => names.has(quota)), ...compiled.chargesFor(bag)],
  };
}
