import { isRecord } from '../../base/record.js';
import { InjectionError } from './injection-error.js';
import { type NamedItem, own, type PodSpec } from './pod.js';
import type { PodItems } from './previous-injection.js';
import { PROXY_CONTAINER, PROXY_UID } from './proxy-container.js';

/** @throws InjectionError NAME_CONFLICT if the pod's own containers or volumes have names of injected ones */
export function checkNames(lists: PodItems, spec: PodSpec): void {
  const own = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  check('container', own, [...lists.initContainers, ...lists.containers]);
  check('volume', spec.volumes ?? [], lists.volumes);
}

function check(what: string, own: readonly NamedItem[], injected: readonly NamedItem[]): void {
  const taken = new Set(own.map(({ name }) => name));
  for (const { name } of injected) {
    if (taken.has(name)) {
      const message = `${what} ${name} of the pod has the name of an injected ${what}; rename it`;
      throw new InjectionError('NAME_CONFLICT', message);
    }
    taken.add(name);
  }
}

/**
 * Warns about containers with the user of an injected proxy: the rules recognize the proxy's traffic by its user, and do
 * not capture it.
 */
export function warnOfUsers({ initContainers, containers }: PodItems, spec: PodSpec): readonly string[] {
  if (![...initContainers, ...containers].some(({ name }) => name === PROXY_CONTAINER)) return [];
  const userOf = (context: unknown): unknown => (isRecord(context) ? own(context, 'runAsUser') : undefined);
  const ofPod = userOf(own(spec, 'securityContext'));
  return (spec.containers ?? [])
    .filter((container) => (userOf(own(container, 'securityContext')) ?? ofPod) === PROXY_UID)
    .map(({ name }) => `container ${name} runs as user ${PROXY_UID}, the proxy's own: its traffic is not captured`);
}
