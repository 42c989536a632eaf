import type { BoundHttpApiSpec, BoundQuotaSpec } from '../../../config/policy/bound-specs.js';
import { memoize } from '../../memo.js';
import type { Service } from '../../service.js';
import { type FastSpecs, readFastSpecs } from './fast-specs.js';
import type { QuotaShapes } from './quota-shapes.js';

/** Looks up the decision about the specs of a service. */
export type KnownFastSpecs = (
  service: Service,
  specs: readonly BoundQuotaSpec[],
  apis: readonly BoundHttpApiSpec[],
  shapes: QuotaShapes,
) => FastSpecs;

/** Decides once about each service, and again when one of the objects is another one. */
export function createFastSpecs(): KnownFastSpecs {
  const known = new WeakMap<Service, { readonly from: readonly unknown[]; readonly fast: FastSpecs }>();
  return (service, specs, apis, shapes) => {
    const from = [specs, apis, shapes];
    const last = known.get(service);
    if (last?.from.every((part, index) => part === from[index])) return last.fast;
    const fast = readFastSpecs(service, specs, apis, shapes);
    known.set(service, { from, fast });
    return fast;
  };
}

/** The specs of a service, without `fast` for those that its proxies cannot enforce. */
export function enforcedSpecs(specs: readonly BoundQuotaSpec[], { obstacles }: FastSpecs): readonly BoundQuotaSpec[] {
  return obstacles.size === 0 ? specs : specs.map((spec) => (obstacles.has(spec) ? exactSpecOf(spec) : spec));
}

const exactSpecOf = memoize(({ enforcement: _, ...rest }: BoundQuotaSpec): BoundQuotaSpec => rest);
