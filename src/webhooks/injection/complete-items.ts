import { variableOf, withVariable } from './environment-variable.js';
import { type NamedItem, own, ownMappings, type PodSpec } from './pod.js';
import type { PodItems } from './previous-injection.js';
import { PROXY_CONTAINER } from './proxy-container.js';

const SERVICE_ACCOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Adds variables, and the mount of the pod's service account token, to the template's proxy container. Other containers
 * of the template get the variables that they have already.
 */
export function completeItems(lists: PodItems, spec: PodSpec, variables: ReadonlyMap<string, string>): PodItems {
  const mount = serviceAccountMount(spec);
  const complete = (container: NamedItem): NamedItem => {
    const isProxy = container.name === PROXY_CONTAINER;
    let completed = container;
    for (const [name, value] of variables) {
      if (isProxy || variableOf(container, name) !== undefined) completed = withVariable(completed, name, value);
    }
    return mount === undefined || !isProxy ? completed : withMount(completed, mount);
  };
  return {
    ...lists,
    initContainers: lists.initContainers.map(complete),
    containers: lists.containers.map(complete),
  };
}

function serviceAccountMount(spec: PodSpec): unknown {
  return (spec.containers ?? [])
    .flatMap((container) => ownMappings(container, 'volumeMounts'))
    .find((mount) => own(mount, 'mountPath') === SERVICE_ACCOUNT_PATH);
}

function withMount(container: NamedItem, mount: unknown): NamedItem {
  const present = ownMappings(container, 'volumeMounts');
  if (present.some((each) => own(each, 'mountPath') === SERVICE_ACCOUNT_PATH)) return container;
  return { ...container, volumeMounts: [...present, mount] };
}
