import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { PlanSpec } from '../../config/plans/plan.js';
import type { HttpApiSpecBinding, QuotaSpecBinding } from '../../config/policy/bindings.js';
import type { BindingGrants } from '../../model/policy/binding-grants.js';
import { type BoundService, BoundServices } from '../../model/policy/bound-services.js';
import { servicePatternOf } from '../../model/policy/service-pattern.js';
import type { PushContext } from '../../model/push-context.js';

/** The kinds that name services. */
const BINDING_KINDS = ['QuotaSpecBinding', 'HTTPAPISpecBinding', 'Plan'] as const;

/**
 * Tells whether a binding or plan acts on a service. The bound spec need not exist yet. Filters therefore depend on bindings
 * alone, and a changed spec changes no filter.
 */
export type BoundHosts = (service: BoundService) => boolean;

type Objects = ReadonlyMap<ObjectKey, MeshObject>;
type BindingContext = Pick<PushContext, 'objects' | 'domain' | 'bindingGrants'>;

interface Resolved {
  readonly domain: string;
  readonly bindingGrants: BindingGrants;
  readonly tables: readonly (Objects | undefined)[];
  readonly isBound: BoundHosts;
}

/** Resolves the bindings of each snapshot, and again only when a binding or a grant has changed. */
export function createBoundHosts(): (context: BindingContext) => BoundHosts {
  let last: Resolved | undefined;
  return ({ objects, domain, bindingGrants }) => {
    const tables = BINDING_KINDS.map((kind) => objects.get(kind));
    const isSame =
      last?.domain === domain &&
      last.bindingGrants === bindingGrants &&
      tables.every((table, index) => table === last?.tables[index]);
    if (isSame && last !== undefined) return last.isBound;
    last = { domain, bindingGrants, tables, isBound: resolveBindings(tables, domain, bindingGrants) };
    return last.isBound;
  };
}

function resolveBindings(tables: readonly (Objects | undefined)[], domain: string, grants: BindingGrants): BoundHosts {
  const bound = new BoundServices<true>(grants);
  for (const binding of tables.flatMap((table) => [...(table?.values() ?? [])])) {
    for (const service of (binding.body as QuotaSpecBinding | HttpApiSpecBinding | PlanSpec).services) {
      bound.add(binding, servicePatternOf(service, binding.metadata.namespace, domain), true);
    }
  }
  return (service) => bound.find(service).length > 0;
}
