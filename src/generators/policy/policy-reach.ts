import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { HttpApiSpecBinding, QuotaSpecBinding } from '../../config/policy/bindings.js';
import type { BindingGrants } from '../../model/policy/binding-grants.js';
import { type BoundService, BoundServices } from '../../model/policy/bound-services.js';
import { servicePatternOf } from '../../model/policy/service-pattern.js';
import type { PushContext } from '../../model/push-context.js';

/** The kinds of bindings. */
const BINDING_KINDS = ['QuotaSpecBinding', 'HTTPAPISpecBinding'] as const;

/**
 * Whether a binding acts on a service. It need not be of a spec that exists already: so proxies are told of bindings
 * alone, and never of a spec, whatever happens to it.
 */
export type PolicyReach = (service: BoundService) => boolean;

type Objects = ReadonlyMap<ObjectKey, MeshObject>;
type ReachContext = Pick<PushContext, 'objects' | 'domain' | 'bindingGrants'>;

interface Resolved {
  readonly domain: string;
  readonly bindingGrants: BindingGrants;
  readonly tables: readonly (Objects | undefined)[];
  readonly reach: PolicyReach;
}

/** Gives each snapshot's reach; resolved again only when a binding or a grant has changed. */
export function createPolicyReach(): (context: ReachContext) => PolicyReach {
  let last: Resolved | undefined;
  return ({ objects, domain, bindingGrants }) => {
    const tables = BINDING_KINDS.map((kind) => objects.get(kind));
    const isSame =
      last?.domain === domain &&
      last.bindingGrants === bindingGrants &&
      tables.every((table, index) => table === last?.tables[index]);
    if (isSame && last !== undefined) return last.reach;
    last = { domain, bindingGrants, tables, reach: resolveReach(tables, domain, bindingGrants) };
    return last.reach;
  };
}

function resolveReach(tables: readonly (Objects | undefined)[], domain: string, grants: BindingGrants): PolicyReach {
  const bound = new BoundServices<true>(grants);
  for (const binding of tables.flatMap((table) => [...(table?.values() ?? [])])) {
    for (const service of (binding.body as QuotaSpecBinding | HttpApiSpecBinding).services) {
      bound.add(binding, servicePatternOf(service, binding.metadata.namespace, domain), true);
    }
  }
  return (service) => bound.find(service).length > 0;
}
