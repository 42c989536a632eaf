import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { HttpApiSpecBinding, QuotaSpecBinding } from '../../config/policy/bindings.js';
import { matchesHost, type ServicePattern, servicePatternOf } from '../../model/policy/service-pattern.js';
import type { PushContext } from '../../model/push-context.js';

/** The kinds that decide which services have a policy. */
export const BINDING_KINDS = ['QuotaSpecBinding', 'HTTPAPISpecBinding'] as const;

/**
 * Whether a binding names a service. It need not be of a spec that exists already: so proxies are told of bindings
 * alone, and never of a spec, whatever happens to it.
 */
export type PolicyReach = (hostname: string) => boolean;

type Objects = ReadonlyMap<ObjectKey, MeshObject>;

/** Gives each snapshot's reach; resolved again only when a binding has changed. */
export function createPolicyReach(): (context: Pick<PushContext, 'objects' | 'domain'>) => PolicyReach {
  let last: { domain: string; tables: readonly (Objects | undefined)[]; reach: PolicyReach } | undefined;
  return ({ objects, domain }) => {
    const tables = BINDING_KINDS.map((kind) => objects.get(kind));
    if (last?.domain === domain && tables.every((table, index) => table === last?.tables[index])) return last.reach;
    const reach = resolveReach(tables, domain);
    last = { domain, tables, reach };
    return reach;
  };
}

function resolveReach(tables: readonly (Objects | undefined)[], domain: string): PolicyReach {
  const hosts = new Set<string>();
  const wildcards: ServicePattern[] = [];
  for (const { body, metadata } of tables.flatMap((table) => [...(table?.values() ?? [])])) {
    for (const service of (body as QuotaSpecBinding | HttpApiSpecBinding).services) {
      const pattern = servicePatternOf(service, metadata.namespace, domain);
      if (pattern.type === 'host') hosts.add(pattern.hostname);
      else wildcards.push(pattern);
    }
  }
  return (hostname) => hosts.has(hostname) || wildcards.some((pattern) => matchesHost(pattern, hostname));
}
