import { type BucketedMap, BucketedMapWriter } from '../bucketed-map.js';
import { canonicalAddress } from '../canonical-address.js';
import type { Endpoint } from '../endpoint.js';
import type { ServiceTarget } from '../proxy.js';
import { isIpAddress } from '../registry/endpoint-address.js';
import type { Service } from '../service.js';
import { type TargetInterner, workloadKey } from '../snapshot/workload-targets.js';

/** A service and every workload that serves it, ready or not. */
export interface ServedBy {
  readonly service: Service;
  readonly workloads: readonly (readonly Endpoint[])[];
}

/** The own services of every workload, by address. */
export class TargetTable {
  readonly #interner: TargetInterner;
  readonly #lists = new BucketedMapWriter<readonly ServiceTarget[]>();

  constructor(interner: TargetInterner) {
    this.#interner = interner;
  }

  /**
   * Brings the lists of one service's workloads up to date.
   *
   * @param changed receives the addresses whose own services changed
   */
  update(previous: ServedBy | undefined, next: ServedBy | undefined, changed: Set<string>): void {
    const concerned = concernedAddresses(previous, next);
    if (concerned.size === 0) return;
    const { hostname, namespace } = (next ?? (previous as ServedBy)).service;
    const targets = next === undefined ? new Map<string, ServiceTarget[]>() : this.#targets(next, concerned);
    for (const address of concerned) {
      const key = workloadKey(namespace, address);
      const known = this.#lists.get(key);
      const others = (known ?? []).filter(({ service }) => service.hostname !== hostname);
      const list = this.#interner.list([...others, ...(targets.get(address) ?? [])]);
      const isChanged = list.length === 0 ? this.#lists.delete(key) : this.#lists.set(key, list);
      if (isChanged) changed.add(address);
    }
  }

  snapshot(): BucketedMap<readonly ServiceTarget[]> {
    return this.#lists.snapshot();
  }

  #targets({ service, workloads }: ServedBy, concerned: ReadonlySet<string>): Map<string, ServiceTarget[]> {
    const targets = new Map<string, ServiceTarget[]>();
    const ports = new Map(service.ports.map((port) => [port.name, port]));
    for (const { address: text, port: targetPort, portName } of workloads.flat()) {
      const port = ports.get(portName);
      if (port === undefined) continue;
      const address = canonicalAddress(text);
      if (!concerned.has(address)) continue;
      const target = this.#interner.target(service, port, targetPort);
      const list = targets.get(address);
      if (list === undefined) targets.set(address, [target]);
      else list.push(target);
    }
    return targets;
  }
}

/** While the service is the same object, only addresses whose endpoints are not. */
function concernedAddresses(previous: ServedBy | undefined, next: ServedBy | undefined): ReadonlySet<string> {
  const [before, after] = [previous?.workloads.flat() ?? [], next?.workloads.flat() ?? []];
  const addresses = new Set<string>();
  const [inBefore, inAfter] =
    previous?.service === next?.service ? [new Set(before), new Set(after)] : [new Set(), new Set()];
  const note = ({ address }: Endpoint): void => {
    if (isIpAddress(address)) addresses.add(canonicalAddress(address));
  };
  for (const endpoint of before) if (!inAfter.has(endpoint)) note(endpoint);
  for (const endpoint of after) if (!inBefore.has(endpoint)) note(endpoint);
  return addresses;
}
