import type { Proxy, ServiceTarget } from '../proxy.js';
import type { Lookup } from '../push-context.js';
import type { Port, Service } from '../service.js';
import { compareText } from '../service-order.js';

interface ListNode {
  list?: readonly ServiceTarget[];
  readonly longer: WeakMap<ServiceTarget, ListNode>;
}

const NO_TARGETS: readonly ServiceTarget[] = [];

/**
 * Makes equal targets the same object and equal lists of targets the same array, so that all workloads of a
 * deployment share theirs. Everything goes with the services that it is about.
 */
export class TargetInterner {
  readonly #targets = new WeakMap<Service, Map<string, ServiceTarget>>();
  readonly #root: ListNode = { longer: new WeakMap() };

  target(service: Service, port: Port, targetPort: number): ServiceTarget {
    let targets = this.#targets.get(service);
    if (targets === undefined) {
      targets = new Map();
      this.#targets.set(service, targets);
    }
    const key = `${targetPort} ${port.name}`;
    let target = targets.get(key);
    if (target === undefined) {
      target = { service, port, targetPort };
      targets.set(key, target);
    }
    return target;
  }

  /** Sorted by hostname, namespace and port, one of each. */
  list(targets: readonly ServiceTarget[]): readonly ServiceTarget[] {
    if (targets.length === 0) return NO_TARGETS;
    const sorted = targets.length === 1 ? targets : [...new Set(targets)].sort(compareTargets);
    let node = this.#root;
    for (const target of sorted) {
      let next = node.longer.get(target);
      if (next === undefined) {
        next = { longer: new WeakMap() };
        node.longer.set(target, next);
      }
      node = next;
    }
    node.list ??= sorted;
    return node.list;
  }
}

/** Place of workloads that are in no cluster, or that may be in any: what ServiceEntries list. */
export const ANY_CLUSTER = '';

/**
 * Under which a workload's targets are found: its services are of its own namespace, so that nobody else's
 * ServiceEntry changes what it listens on, and of its own cluster, for pods of two clusters may have one address.
 *
 * @param address in canonical spelling
 */
export function workloadKey(namespace: string, address: string, cluster: string): string {
  return `${namespace}|${address}|${cluster}`;
}

/**
 * The targets of all the proxy's addresses.
 *
 * @param cluster the one that the proxy is in
 */
export function targetsOfProxy(
  proxy: Proxy,
  cluster: string,
  targets: Lookup<string, readonly ServiceTarget[]>,
  interner: TargetInterner,
): readonly ServiceTarget[] {
  const found: (readonly ServiceTarget[])[] = [];
  for (const address of proxy.ipAddresses) {
    for (const place of [cluster, ANY_CLUSTER]) {
      const list = targets.get(workloadKey(proxy.configNamespace, address, place));
      if (list !== undefined) found.push(list);
    }
  }
  return found.length === 1 ? (found[0] ?? NO_TARGETS) : interner.list(found.flat());
}

function compareTargets(first: ServiceTarget, second: ServiceTarget): number {
  return (
    compareText(first.service.hostname, second.service.hostname) ||
    compareText(first.service.namespace, second.service.namespace) ||
    first.port.number - second.port.number ||
    compareText(first.port.name, second.port.name) ||
    first.targetPort - second.targetPort
  );
}
