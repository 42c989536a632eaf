import { collectInSteps, type Steps } from '../../base/steps.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Finding } from '../../model/finding.js';
import type { Service } from '../../model/service.js';
import { inOrderOfRank } from '../../model/service-order.js';
import { planDestinations } from '../plugins/route-destinations.js';
import { ComposedTable, type TableHost } from './composed-table.js';
import type { RouteTableInput } from './route-table.js';
import { domainWithoutServices, isOwnHost } from './virtual-host-domains.js';
import type { EncodedVirtualHost, HostEncoder, HostTarget, VirtualHostEncoder } from './virtual-host-encoder.js';

export interface RouteTable {
  readonly resource: ComposedTable;
  readonly findings: readonly Finding[];
}

/**
 * The table of a proxy whose namespace has no service. The table of any other namespace of the cluster differs from it
 * only in the virtual hosts of that namespace's services, which also have their shortest names there.
 */
export interface SharedTable {
  readonly targets: readonly HostTarget[];
  /** Those of the targets in their order, then the one for unknown hosts. */
  readonly hosts: readonly TableHost[];
  /**
   * The virtual host of each authority, by its index. Undefined if the namespaces of the cluster share nothing: two
   * virtual hosts have one domain, or the DNS domain of the proxy is not that of a namespace.
   */
  readonly owners: ReadonlyMap<string, number> | undefined;
}

const NOTHING_SHARED: Omit<SharedTable, 'owners'> = { targets: [], hosts: [] };

/** Virtual hosts that are made in one step. */
const HOSTS_AT_ONCE = 64;

/**
 * Composes a route table from encoded virtual hosts. Envoy rejects a table in which a domain appears twice, in any
 * case: the oldest service keeps the domain, a Service before a ServiceEntry, and the others keep their remaining
 * domains (docs/reference/metrics.md#push-status, nav_vservice_dup_domain).
 *
 * @param unread services, the oldest first, then other hosts
 * @param shared what could not be used for this table: the table keeps it, so that it is not made again
 */
export function* composeRouteTable(
  encoder: MessageEncoder,
  hosts: VirtualHostEncoder,
  name: string,
  unread: Iterable<HostTarget>,
  input: RouteTableInput,
  shared?: SharedTable,
): Steps<RouteTable> {
  const targets = yield* collectInSteps(unread, HOSTS_AT_ONCE);
  const { encode, encodeWithout, fallback } = encoderOf(hosts, input, input.dnsDomain);
  const taken = new Set<string>();
  const findings: Finding[] = [];
  const composed: TableHost[] = [];
  const kept = new Map<HostTarget, TableHost>();
  for (const [index, target] of inPrecedence(targets).entries()) {
    if (index % HOSTS_AT_ONCE === 0) yield;
    const encoded = encode(target);
    const lost = new Set<string>();
    for (const authority of encoded.authorities) {
      const before = taken.size;
      taken.add(authority);
      if (taken.size === before) lost.add(authority);
    }
    for (const authority of lost) findings.push(duplicateDomain(name, authority, target));
    const field = lost.size === 0 ? encoded.field : encodeWithout(target, lost);
    if (field !== undefined) kept.set(target, lost.size === 0 ? encoded : { name: encoded.name, field });
  }
  for (const target of targets) {
    const host = kept.get(target);
    if (host !== undefined) composed.push(host);
  }
  composed.push(fallback());
  return { resource: new ComposedTable(name, headOf(encoder, name), composed, shared), findings };
}

/** @param unread as for `composeRouteTable` */
export function* composeSharedTable(
  hosts: VirtualHostEncoder,
  unread: Iterable<HostTarget>,
  input: RouteTableInput,
): Steps<SharedTable> {
  const domain = domainWithoutServices(input.dnsDomain);
  if (domain === undefined) return { ...NOTHING_SHARED, owners: undefined };
  const targets = yield* collectInSteps(unread, HOSTS_AT_ONCE);
  const { encode, fallback } = encoderOf(hosts, input, domain);
  const composed: TableHost[] = [];
  const owners = new Map<string, number>();
  for (const [index, target] of targets.entries()) {
    if (index % HOSTS_AT_ONCE === 0) yield;
    const encoded = encode(target);
    if (!own(owners, encoded, index)) return { ...NOTHING_SHARED, owners: undefined };
    composed.push(encoded);
  }
  composed.push(fallback());
  return { targets, hosts: composed, owners };
}

/**
 * The table of a namespace, from the one that its cluster shares.
 *
 * @returns undefined if the namespaces share nothing, or a short name of a service in the namespace is a domain of another
 *   virtual host
 */
export function composeFromShared(
  encoder: MessageEncoder,
  hosts: VirtualHostEncoder,
  name: string,
  shared: SharedTable,
  input: RouteTableInput,
): RouteTable | undefined {
  if (shared.owners === undefined) return undefined;
  const { owners: sharedOwners } = shared;
  const { encode } = encoderOf(hosts, input, input.dnsDomain);
  const composed = [...shared.hosts];
  const owners = new Map<string, number>();
  for (const [index, target] of shared.targets.entries()) {
    if (!isOwnHost(target.hostname, input.dnsDomain)) continue;
    const encoded = encode(target);
    const isTaken = encoded.authorities.some((authority) => (sharedOwners.get(authority) ?? index) !== index);
    if (isTaken || !own(owners, encoded, index)) return undefined;
    composed[index] = encoded;
  }
  return { resource: new ComposedTable(name, headOf(encoder, name), composed, shared), findings: [] };
}

/** @returns whether no virtual host before had one of the authorities */
function own(owners: Map<string, number>, { authorities }: EncodedVirtualHost, index: number): boolean {
  for (const authority of authorities) {
    const before = owners.size;
    owners.set(authority, index);
    if (owners.size === before) return false;
  }
  return true;
}

function encoderOf(
  hosts: VirtualHostEncoder,
  { context, traffic, indexOf, plan, unasked }: RouteTableInput,
  dnsDomain: string,
): HostEncoder & { fallback(): TableHost } {
  const planned = planDestinations(plan, (hostname) => indexOf(traffic.services).byHost.get(hostname));
  const added = unasked?.(planned) ?? planned;
  const { unknown } = traffic;
  return {
    ...hosts.encoderFor(context.mesh, dnsDomain, added),
    fallback: () => hosts.fallback(context.mesh, unknown, added),
  };
}

function headOf(encoder: MessageEncoder, name: string): Buffer {
  return encoder.encode(TypeUrl.route, { name, validateClusters: { value: false } });
}

/** Services by their rank, then hosts of no service. */
function inPrecedence(targets: readonly HostTarget[]): readonly HostTarget[] {
  const end = targets.findIndex(({ service }) => service === undefined);
  const services = end < 0 ? targets : targets.slice(0, end);
  // All of them have a service.
  const ranked = inOrderOfRank(services, ({ service }) => service as Service);
  return end < 0 ? ranked : [...ranked, ...targets.slice(end)];
}

function duplicateDomain(table: string, domain: string, { service, hostname, port }: HostTarget): Finding {
  return {
    metric: 'nav_vservice_dup_domain',
    key: domain,
    message:
      `route table ${table}: domain ${domain} of ${hostname}:${port} (${service?.source ?? 'VirtualService'}) ` +
      'belongs to an older service, or to a Service, already; give the services different hosts or addresses',
  };
}
