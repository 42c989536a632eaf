import { isDeepStrictEqual } from 'node:util';
import { appendTo } from '../../base/append-to.js';
import { isIpAddress, normalizeIpv6 } from '../../base/ip-address.js';
import { type BucketedMap, BucketedMapWriter } from '../bucketed-map.js';
import type { Endpoint } from '../endpoint.js';
import type { ServiceTarget } from '../proxy.js';
import { type SharedPort, servedPorts, sharedPorts } from '../served-ports.js';
import type { Service } from '../service.js';
import { type TargetInterner, workloadKey } from '../snapshot/workload-targets.js';

/** Workloads of a service, ready or not. */
export interface Workloads {
  /** Their cluster, or ANY_CLUSTER. */
  readonly cluster: string;
  readonly endpoints: readonly Endpoint[];
}

/** A service and all its workloads. */
export interface ServedBy {
  readonly service: Service;
  readonly workloads: readonly Workloads[];
}

/** The change of the list of one workload. */
interface ListChange {
  readonly address: string;
  /** The new targets of the workload, by the host of each changed service. */
  readonly byHost: Map<string, readonly ServiceTarget[]>;
}

const NO_TARGETS: readonly ServiceTarget[] = [];

/** The targets of every workload, by `workloadKey`. */
export class TargetTable {
  readonly #interner: TargetInterner;
  readonly #lists = new BucketedMapWriter<readonly ServiceTarget[]>();
  /** Lists in which services share a port, with the number of their workloads. They are few. */
  readonly #contested = new Map<readonly ServiceTarget[], number>();
  /**
   * Remembers whether services share a port in a list. There are few lists, because workloads with the same services
   * share one.
   */
  readonly #isContested = new WeakMap<readonly ServiceTarget[], boolean>();
  #sharedPorts: readonly SharedPort[] = [];
  #isContestedAnew = false;
  /** Applies the changes of all services to the list of a workload at once. */
  readonly #changes = new Map<string, ListChange>();

  constructor(interner: TargetInterner) {
    this.#interner = interner;
  }

  /** Records the targets of the workloads of one service; `commit` updates their lists. */
  update(previous: ServedBy | undefined, next: ServedBy | undefined): void {
    const concerned = concernedWorkloads(previous, next);
    if (concerned.size === 0) return;
    const { hostname } = (next ?? (previous as ServedBy)).service;
    const targets = next === undefined ? undefined : this.#targets(next, concerned);
    for (const [key, address] of concerned) {
      let change = this.#changes.get(key);
      if (change === undefined) {
        change = { address, byHost: new Map() };
        this.#changes.set(key, change);
      }
      change.byHost.set(hostname, targets?.get(key) ?? NO_TARGETS);
    }
  }

  /** @returns the addresses whose services changed */
  commit(): Set<string> {
    const changed = new Set<string>();
    for (const [key, { address, byHost }] of this.#changes) {
      const known = this.#lists.get(key);
      const others = known?.filter(({ service }) => !byHost.has(service.hostname)) ?? NO_TARGETS;
      const list = this.#interner.list(others.concat(...byHost.values()));
      const isChanged = list.length === 0 ? this.#lists.delete(key) : this.#lists.set(key, list);
      if (!isChanged) continue;
      changed.add(address);
      this.#countContested(known, -1);
      this.#countContested(list, 1);
    }
    this.#changes.clear();
    return changed;
  }

  snapshot(): BucketedMap<readonly ServiceTarget[]> {
    return this.#lists.snapshot();
  }

  /** Ports of workloads that several services target; the same array while they are the same. */
  sharedPorts(): readonly SharedPort[] {
    if (this.#isContestedAnew) {
      const next = sharedPorts(this.#contested.keys());
      if (!isDeepStrictEqual(next, this.#sharedPorts)) this.#sharedPorts = next;
      this.#isContestedAnew = false;
    }
    return this.#sharedPorts;
  }

  #countContested(list: readonly ServiceTarget[] | undefined, by: 1 | -1): void {
    if (list === undefined || list.length < 2) return;
    const isContested = this.#isContested.get(list) ?? servedPorts(list).shadowed.length > 0;
    this.#isContested.set(list, isContested);
    if (!isContested) return;
    const count = (this.#contested.get(list) ?? 0) + by;
    if (count > 0) this.#contested.set(list, count);
    else this.#contested.delete(list);
    this.#isContestedAnew = true;
  }

  #targets({ service, workloads }: ServedBy, concerned: ReadonlyMap<string, string>): Map<string, ServiceTarget[]> {
    const targets = new Map<string, ServiceTarget[]>();
    const ports = new Map(service.ports.map((port) => [port.name, port]));
    for (const { cluster, endpoints } of workloads) {
      for (const { address, port: targetPort, portName } of endpoints) {
        const port = ports.get(portName);
        if (port === undefined) continue;
        const key = workloadKey(service.namespace, normalizeIpv6(address), cluster);
        if (!concerned.has(key)) continue;
        const target = this.#interner.target(service, port, targetPort);
        appendTo(targets, key, target);
      }
    }
    return targets;
  }
}

/** Addresses by workload key. While the service is the same object, only those of changed endpoints. */
function concernedWorkloads(previous: ServedBy | undefined, next: ServedBy | undefined): ReadonlyMap<string, string> {
  const concerned = new Map<string, string>();
  const isSame = previous?.service === next?.service;
  noteOthers(previous, isSame ? next : undefined, concerned);
  noteOthers(next, isSame ? previous : undefined, concerned);
  return concerned;
}

/** Adds the workloads that the other list does not have. */
function noteOthers(served: ServedBy | undefined, other: ServedBy | undefined, concerned: Map<string, string>): void {
  const known = new Set(other?.workloads.flatMap(({ endpoints }) => endpoints));
  for (const { cluster, endpoints } of served?.workloads ?? []) {
    for (const endpoint of endpoints) {
      if (known.has(endpoint) || !isIpAddress(endpoint.address)) continue;
      const address = normalizeIpv6(endpoint.address);
      concerned.set(workloadKey((served as ServedBy).service.namespace, address, cluster), address);
    }
  }
}
