import { InjectionError } from './injection-error.js';
import type { NamedItem, PodSpec } from './pod.js';
import type { PodItems } from './previous-injection.js';

/** Refuses a pod whose own containers or volumes have names of injected ones. @throws InjectionError NAME_CONFLICT */
export function checkNames(lists: PodItems, spec: PodSpec): void {
  const own = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  check('container', own, [...lists.initContainers, ...lists.containers]);
  check('volume', spec.volumes ?? [], lists.volumes);
}

function check(what: string, own: readonly NamedItem[], injected: readonly NamedItem[]): void {
  const taken = new Set(own.map(({ name }) => name));
  for (const { name } of injected) {
    if (taken.has(name)) {
      const message = `${what} ${name} of the pod has the name of one that is injected; rename it`;
      throw new InjectionError('NAME_CONFLICT', message);
    }
    taken.add(name);
  }
}
