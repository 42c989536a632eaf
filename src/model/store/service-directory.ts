import { isDeepStrictEqual } from 'node:util';
import type { ObjectKey } from '../../config/object.js';
import { type BucketedMap, BucketedMapWriter } from '../bucketed-map.js';
import type { ServiceEndpoints } from '../endpoint.js';
import type { Finding } from '../finding.js';
import type { ServiceContribution } from '../registry/service-contribution.js';
import type { Service } from '../service.js';
import { shadowedKey } from '../snapshot/endpoints-of.js';
import { ANY_CLUSTER, TargetInterner } from '../snapshot/workload-targets.js';
import { AutoAddresses } from './auto-addresses.js';
import { HostTable } from './host-table.js';
import { createEntryJoiner, duplicateHosts } from './join-entries.js';
import { keepContribution, keepService } from './keep-identity.js';
import { mergeEndpoints, rankContributions, serviceByCluster } from './merge-contributions.js';
import { type ServedBy, TargetTable } from './target-table.js';

/** Findings by source, and the list of all; the list is the same array while nothing changed. */
class FindingTable {
  readonly #findings = new Map<string, readonly Finding[]>();
  #list: readonly Finding[] | undefined = [];

  set(key: string, findings: readonly Finding[]): void {
    const known = this.#findings.get(key);
    if (known === undefined ? findings.length === 0 : isDeepStrictEqual(known, findings)) return;
    if (findings.length === 0) this.#findings.delete(key);
    else this.#findings.set(key, findings);
    this.#list = undefined;
  }

  list(): readonly Finding[] {
    this.#list ??= [...this.#findings.values()].flat();
    return this.#list;
  }
}

/** The contributions of one namespace to one host, merged. */
interface ServiceRecord {
  readonly contributions: readonly ServiceContribution[];
  readonly service: Service;
  readonly endpoints: ServiceEndpoints;
}

/** What settling did. */
export interface DirectoryChange {
  /** Whether anything changed beside endpoints that only EDS carries. */
  readonly full: boolean;
  /** Keys of the objects of services that were added, changed or removed. */
  readonly sources: ReadonlySet<ObjectKey>;
  /** Hosts whose endpoints changed. */
  readonly endpoints: ReadonlySet<string>;
  /** Addresses of workloads whose services changed. */
  readonly addresses: ReadonlySet<string>;
  readonly svc: number;
  readonly svcdelete: number;
  readonly eds: number;
}

type Progress = {
  -readonly [Key in Exclude<keyof DirectoryChange, 'addresses'>]: DirectoryChange[Key] extends ReadonlySet<string>
    ? Set<string>
    : DirectoryChange[Key];
};

/** Merges the contributions of all registries into services and endpoints, and reports the differences. */
export class ServiceDirectory {
  readonly interner = new TargetInterner();
  readonly hosts = new HostTable();
  readonly findings = new FindingTable();
  readonly targets = new TargetTable(this.interner);
  readonly #ownCluster: string;
  readonly #contributionsBySource = new Map<string, readonly ServiceContribution[]>();
  /** Contributions by record, then by source. */
  readonly #contributions = new Map<string, Map<string, ServiceContribution>>();
  /** By `shadowedKey`. */
  readonly #records = new Map<string, ServiceRecord>();
  /** Record keys by host. */
  readonly #recordsByHost = new Map<string, Set<string>>();
  readonly #endpoints = new BucketedMapWriter<ServiceEndpoints>();
  readonly #autoAddresses = new AutoAddresses();
  readonly #join = createEntryJoiner();
  readonly #dirty = new Set<string>();

  constructor(ownCluster: string) {
    this.#ownCluster = ownCluster;
  }

  get endpoints(): BucketedMap<ServiceEndpoints> {
    return this.#endpoints.snapshot();
  }

  /** Replaces the contributions of one object of one cluster; `commit` merges them. */
  replace(source: string, contributions: readonly ServiceContribution[]): void {
    const previous = new Map(
      this.#contributionsBySource.get(source)?.map((contribution) => [shadowedKey(contribution.service), contribution]),
    );
    const next = contributions.map((contribution) =>
      keepContribution(previous.get(shadowedKey(contribution.service)), contribution),
    );
    for (const contribution of next) {
      const key = shadowedKey(contribution.service);
      const before = previous.get(key);
      previous.delete(key);
      if (before === contribution) continue;
      const bySource = this.#contributions.get(key);
      if (bySource === undefined) this.#contributions.set(key, new Map([[source, contribution]]));
      else bySource.set(source, contribution);
      this.#dirty.add(key);
    }
    for (const key of previous.keys()) {
      const bySource = this.#contributions.get(key);
      bySource?.delete(source);
      if (bySource?.size === 0) this.#contributions.delete(key);
      this.#dirty.add(key);
    }
    if (next.length === 0) this.#contributionsBySource.delete(source);
    else this.#contributionsBySource.set(source, next);
  }

  /** Merges the changes since the last call. */
  commit(): DirectoryChange {
    const progress: Progress = {
      full: false,
      sources: new Set(),
      endpoints: new Set(),
      svc: 0,
      svcdelete: 0,
      eds: 0,
    };
    const ranked = new Map<string, readonly ServiceContribution[]>();
    const rank = (key: string): readonly ServiceContribution[] => {
      const contributions = this.#join(
        rankContributions([...(this.#contributions.get(key)?.values() ?? [])], this.#ownCluster),
      );
      ranked.set(key, contributions);
      return contributions;
    };
    const moved = new Set<string>();
    for (const key of this.#dirty) this.#assignAddress(key, rank(key)[0]?.service, moved);
    for (const key of moved) if (!ranked.has(key)) rank(key);
    const hosts = new Set<string>();
    for (const [key, contributions] of ranked) this.#updateRecord(key, contributions, hosts, progress);
    for (const hostname of hosts) {
      if (this.#updateHost(hostname)) progress.endpoints.add(hostname);
    }
    this.#dirty.clear();
    return { ...progress, addresses: this.targets.commit() };
  }

  #assignAddress(key: string, service: Service | undefined, moved: Set<string>): void {
    if (service !== undefined && needsAddress(service)) {
      this.#autoAddresses.add(key, service.creationTimestamp, moved);
    } else {
      this.#autoAddresses.remove(key, moved);
    }
  }

  #updateRecord(
    key: string,
    contributions: readonly ServiceContribution[],
    hosts: Set<string>,
    progress: Progress,
  ): void {
    const previous = this.#records.get(key);
    const record = this.#merge(key, contributions, previous);
    if (record === undefined && previous === undefined) return;
    const { hostname } = ((record ?? previous) as ServiceRecord).service;
    hosts.add(hostname);
    this.#recordKeys(hostname, key, record !== undefined);
    if (record === undefined) {
      this.#records.delete(key);
      this.#endpoints.delete(key);
    } else {
      this.#records.set(key, record);
    }
    this.targets.update(servedBy(previous), servedBy(record));
    this.findings.set(key, record?.contributions.flatMap(({ findings }) => findings) ?? []);
    noteChange(previous, record, progress);
  }

  #merge(
    key: string,
    contributions: readonly ServiceContribution[],
    previous: ServiceRecord | undefined,
  ): ServiceRecord | undefined {
    const first = contributions[0];
    if (first === undefined) return undefined;
    const autoAddress = this.#autoAddresses.get(key);
    const byCluster = serviceByCluster(contributions, this.#ownCluster);
    const additions = { ...(autoAddress && { autoAddress }), ...(byCluster && { byCluster }) };
    const isMade = Object.keys(additions).length > 0;
    const service = keepService(previous?.service, isMade ? { ...first.service, ...additions } : first.service);
    return { contributions, service, endpoints: mergeEndpoints(contributions, previous?.endpoints) };
  }

  #recordKeys(hostname: string, key: string, exists: boolean): void {
    const keys = this.#recordsByHost.get(hostname) ?? new Set();
    if (exists) keys.add(key);
    else keys.delete(key);
    if (keys.size === 0) this.#recordsByHost.delete(hostname);
    else this.#recordsByHost.set(hostname, keys);
  }

  /** @returns whether the endpoints of the host changed, by its own contribution or by another one */
  #updateHost(hostname: string): boolean {
    const records = [...(this.#recordsByHost.get(hostname) ?? [])].map(
      (key) => this.#records.get(key) as ServiceRecord,
    );
    const winner = this.hosts.update(
      hostname,
      records.map(({ service }) => service),
    );
    // Includes services that are not served, because findings report those.
    const contributions = records.flatMap(({ service }) => [
      ...(this.#contributions.get(shadowedKey(service))?.values() ?? []),
    ]);
    const duplicates: readonly Finding[] = contributions.length < 2 ? [] : duplicateHosts(hostname, contributions);
    this.findings.set(hostname, duplicates);
    return this.#showEndpoints(hostname, winner, records);
  }

  /** See `endpointsOf` for the keys. */
  #showEndpoints(hostname: string, winner: Service | undefined, records: readonly ServiceRecord[]): boolean {
    if (winner === undefined) return this.#endpoints.delete(hostname);
    let isChanged = false;
    for (const { service, endpoints } of records) {
      const ofClaim = shadowedKey(service);
      if (service === winner) {
        isChanged = this.#endpoints.set(hostname, endpoints) || isChanged;
        this.#endpoints.delete(ofClaim);
      } else {
        isChanged = this.#endpoints.set(ofClaim, endpoints) || isChanged;
      }
    }
    return isChanged;
  }
}

function noteChange(previous: ServiceRecord | undefined, next: ServiceRecord | undefined, progress: Progress): void {
  if (previous?.service !== next?.service) {
    progress.full = true;
    for (const record of [previous, next]) if (record !== undefined) progress.sources.add(record.service.source);
    if (next === undefined) progress.svcdelete++;
    else progress.svc++;
  }
  if (previous?.endpoints !== next?.endpoints) {
    const { service } = (next ?? previous) as ServiceRecord;
    progress.endpoints.add(service.hostname);
    progress.eds++;
    const accountsChanged = previous?.endpoints.serviceAccounts !== next?.endpoints.serviceAccounts;
    if (accountsChanged || !isCarriedByEds(service)) progress.full = true;
  }
}

/** Other services have endpoints in clusters, or in listeners of their own. */
function isCarriedByEds({ resolution, headless }: Service): boolean {
  return resolution === 'endpoints' && !headless;
}

/** Only hosts that an application can resolve, and whose proxy does not need the original destination. */
function needsAddress({ registry, addresses, hostname, resolution }: Service): boolean {
  return registry === 'External' && addresses.length === 0 && !hostname.startsWith('*') && resolution !== 'passthrough';
}

function servedBy(record: ServiceRecord | undefined): ServedBy | undefined {
  if (record === undefined) return undefined;
  return {
    service: record.service,
    workloads: record.contributions.flatMap((contribution) => {
      const cluster = contribution.service.registry === 'Orchestrator' ? contribution.cluster : ANY_CLUSTER;
      return [contribution.endpoints, contribution.unready].map((endpoints) => ({ cluster, endpoints }));
    }),
  };
}
