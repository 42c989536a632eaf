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
 * Interns targets and lists of targets, so that all workloads of a deployment share theirs. The garbage collector takes
 * them with their services.
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

  /** Sorted by hostname, namespace and port, without duplicates. */
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

/** Stands for the cluster of workloads that may be in any, such as those that ServiceEntries list. */
export const ANY_CLUSTER = '';

/**
 * The key of the targets of a workload. It has the namespace, so that ServiceEntries of other namespaces cannot change
 * the ports of a workload, and the cluster, because pods of two clusters may have one address.
 *
 * @param address in canonical spelling
 */
export function workloadKey(namespace: string, address: string, cluster: string): string {
  return `${namespace}|${address}|${cluster}`;
}

/**
 * The targets of all addresses of a proxy.
 *
 * @param cluster of the proxy
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
