import type { ResourceSet } from '../envoy/resource-set.js';
import { createResourceSet } from '../envoy/resource-set.js';
import { TypeUrl } from '../envoy/type-urls.js';
import { askedGroup, hostOfVirtualHost, tableOfVirtualHost, virtualHostName } from '../envoy/virtual-host-names.js';
import type { ResourceGenerator } from '../generators/generator.js';
import { isOnDemand } from '../model/on-demand.js';
import type { WithheldPatch } from '../model/patches/withheld-patch.js';
import type { Proxy } from '../model/proxy.js';
import type { Distribution } from '../push/distributor.js';
import { hasName, type NameSet, WILDCARD } from '../push/name-set.js';
import type { Work } from '../push/work.js';
import { GeneratedResources } from './resource-provider.js';
import type { Subscriptions } from './subscriptions.js';
import type { WatchedResource } from './watched-resource.js';

/** Whether a proxy takes virtual hosts one by one: VHDS over a delta ADS stream is known to work since Envoy 1.40. */
export function takesVirtualHosts({ type, version }: Proxy): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return type === 'sidecar' && (major > 1 || (major === 1 && minor >= 40));
}

/**
 * The virtual hosts of the route tables that a stream has. Envoy does not name them: its first request means all of them,
 * and it sends no other request when it gets a further table.
 */
export class VirtualHostResources extends GeneratedResources {
  readonly #tables: () => NameSet;
  readonly #isOnDemand: () => boolean;

  /** @param tables the tables that the proxy has, or is being sent */
  constructor(distribution: Distribution, generator: ResourceGenerator, proxy: Proxy, tables: () => NameSet) {
    super(distribution, generator, proxy);
    this.#tables = tables;
    this.#isOnDemand = () => distribution.context !== undefined && isOnDemand(distribution.context, proxy);
  }

  override get mode(): 'wildcard' {
    return 'wildcard';
  }

  /** Patches apply to whole tables, so a patch of a rejected virtual host is withheld from all virtual hosts of its table. */
  override withhold(patches: readonly WithheldPatch[]): void {
    super.withhold(
      patches.map(({ resources, ...patch }) => ({
        ...patch,
        resources: resources && new Set(Array.from(resources, tableOfVirtualHost)),
      })),
    );
  }

  override *prepare(names: NameSet | undefined): Work<ResourceSet> {
    const tables = this.#tables();
    const asked = this.#isOnDemand() ? askedIn(names, tables) : [];
    const groups = asked.length === 0 ? tables : { ...tables, names: [...tables.names, ...asked] };
    const all = yield* super.prepare(groups);
    if (names === undefined || hasName(names, WILDCARD)) return all;
    return createResourceSet(all.resources.filter(({ name }) => hasName(names, name)));
  }
}

/** The groups of the virtual hosts that a proxy asked for. All spellings of a host share the virtual host in lower case. */
function askedIn(names: NameSet | undefined, tables: NameSet): readonly string[] {
  const asked = new Set<string>();
  for (const name of names?.names ?? []) {
    const table = tableOfVirtualHost(name);
    if (!hasName(tables, table)) continue;
    asked.add(name).add(virtualHostName(table, hostOfVirtualHost(name).toLowerCase()));
  }
  return [...asked].sort().map(askedGroup);
}

/**
 * Whether virtual hosts have to wait: the stream has had no answer about route tables yet. A proxy that connects again
 * would lose the virtual hosts of all tables that it is about to ask for.
 */
export function waitsForTables({ provider }: WatchedResource, subscriptions: Subscriptions): boolean {
  return provider.typeUrl === TypeUrl.virtualHost && subscriptions.get(TypeUrl.route)?.sent === undefined;
}
