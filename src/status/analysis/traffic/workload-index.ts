import { appendTo } from '../../../base/append-to.js';
import type { PodBody } from '../../../config/core/pod.js';
import type { ServiceSpec } from '../../../config/core/service.js';
import type { WorkloadEntrySpec } from '../../../config/networking/workload-entry.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../../config/object.js';
import type { PushContext } from '../../../model/push-context.js';
import { workloadNameOf } from '../../../model/registry/pod.js';
import { isSelected, type Labels, type SelectedLabels } from '../../../model/security/namespace-mutual-tls.js';

/** Pods with the same labels, ports and proxy: nearly always those of one Deployment. */
export interface WorkloadGroup {
  /** Name of the Deployment or other controller, as far as the labels of its pods tell. */
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
  /** The first of its objects. */
  readonly object: ObjectKey;
  /** Ports that the containers declare. */
  readonly ports: ReadonlySet<number>;
  /** Whether a sidecar was injected. Undefined for WorkloadEntries, and for pods that do not run. */
  readonly hasProxy: boolean | undefined;
  /** Whether the pods use the network of their nodes, or an annotation turns injection off. */
  readonly refusesProxy: boolean;
  /** Image of the injected proxy; undefined without one. */
  readonly proxyImage: string | undefined;
  /** Services of Kubernetes that select the pods, sorted by name. */
  readonly services: readonly MeshObject[];
}

/** The workloads of a snapshot. */
export interface WorkloadIndex {
  readonly groups: readonly WorkloadGroup[];
  /** @param namespace undefined for all namespaces */
  selected(namespace: string | undefined, labels: SelectedLabels): readonly WorkloadGroup[];
  /** @param service key of a Service of Kubernetes */
  ofService(service: ObjectKey): readonly WorkloadGroup[];
  /** Whether the namespace has any workload; undefined for the mesh. A selector without workloads may come first. */
  hasAny(namespace: string | undefined): boolean;
}

type Objects = PushContext['objects'];

/** Makes the index of each snapshot. Keep one: it reads only changed objects. */
export type WorkloadIndexer = (objects: Objects, meshDomain: string) => WorkloadIndex;

const KINDS = ['Pod', 'WorkloadEntry'] as const;

export function createWorkloadIndexer(): WorkloadIndexer {
  const groupIdOf = createGroupIds();
  let last: { readonly tables: readonly unknown[]; readonly index: WorkloadIndex } | undefined;
  return (objects, meshDomain) => {
    const tables = [...KINDS, 'Service'].map((kind) => objects.get(kind));
    if (last === undefined || tables.some((table, at) => table !== last?.tables[at])) {
      last = { tables, index: createWorkloadIndex(objects, meshDomain, groupIdOf) };
    }
    return last.index;
  };
}

/** Returns a text that workloads of one group share. It is made once for each version of an object. */
type GroupIds = (object: MeshObject, meshDomain: string) => string;

function createGroupIds(): GroupIds {
  const ids = new WeakMap<MeshObject, string>();
  return (object, meshDomain) => {
    let id = ids.get(object);
    if (id === undefined) {
      const { labels, ports, hasProxy, refusesProxy, proxyImage } = factsOf(object, meshDomain);
      id = JSON.stringify([object.metadata.namespace, labels, [...ports], hasProxy, refusesProxy, proxyImage]);
      ids.set(object, id);
    }
    return id;
  };
}

function createWorkloadIndex(objects: Objects, meshDomain: string, groupIdOf: GroupIds): WorkloadIndex {
  const services = indexServices(objects);
  const groups = new Map<string, WorkloadGroup>();
  for (const kind of KINDS) {
    for (const object of objects.get(kind)?.values() ?? []) {
      const id = groupIdOf(object, meshDomain);
      if (groups.has(id)) continue;
      const facts = factsOf(object, meshDomain);
      const { namespace, name: ownName } = object.metadata;
      const name = kind === 'Pod' ? workloadNameOf(ownName, facts.labels) : ownName;
      groups.set(id, { ...facts, name, namespace, object: keyOf(object), services: services(namespace, facts.labels) });
    }
  }
  const all = [...groups.values()];
  const byNamespace = new Map<string | undefined, WorkloadGroup[]>([[undefined, all]]);
  for (const group of all) {
    appendTo(byNamespace, group.namespace, group);
  }
  const byService = new Map<ObjectKey, WorkloadGroup[]>();
  for (const group of all) {
    for (const service of group.services) {
      const key = keyOf(service);
      appendTo(byService, key, group);
    }
  }
  return {
    groups: all,
    ofService: (service) => byService.get(service) ?? [],
    selected: (namespace, labels) =>
      (byNamespace.get(namespace) ?? []).filter((group) => isSelected(group.labels, labels)),
    hasAny: (namespace) => byNamespace.has(namespace) && byNamespace.get(namespace)?.length !== 0,
  };
}

type Facts = Pick<WorkloadGroup, 'labels' | 'ports' | 'hasProxy' | 'refusesProxy' | 'proxyImage'>;

const REFUSALS: ReadonlySet<string> = new Set(['n', 'no', 'false', 'off']);

function factsOf(object: MeshObject, meshDomain: string): Facts {
  return object.kind === 'Pod' ? podFacts(object, meshDomain) : entryFacts(object);
}

function podFacts({ metadata, body }: MeshObject, meshDomain: string): Facts {
  const { spec, status } = body as PodBody;
  const { labels, annotations } = metadata;
  const isInjected =
    annotations[`sidecar.${meshDomain}/status`] !== undefined || labels[`security.${meshDomain}/tlsMode`] === 'mesh';
  return {
    labels,
    ports: new Set(spec.containers.flatMap(({ ports }) => ports.map(({ containerPort }) => containerPort))),
    hasProxy: status.phase === 'Running' || isInjected ? isInjected : undefined,
    proxyImage: spec.proxyImage,
    refusesProxy: spec.hostNetwork || REFUSALS.has((annotations[`sidecar.${meshDomain}/inject`] ?? '').toLowerCase()),
  };
}

function entryFacts({ metadata, body }: MeshObject): Facts {
  const { labels, ports } = body as WorkloadEntrySpec;
  return {
    labels: { ...metadata.labels, ...labels },
    ports: new Set(Object.values(ports)),
    hasProxy: undefined,
    proxyImage: undefined,
    refusesProxy: false,
  };
}

/** Returns the Services that select a workload. Each Service is found by one of its labels. */
function indexServices(objects: Objects): (namespace: string, labels: Labels) => readonly MeshObject[] {
  const byPair = new Map<string, { readonly service: MeshObject; readonly selector: SelectedLabels }[]>();
  for (const service of objects.get('Service')?.values() ?? []) {
    const selector = Object.entries((service.body as { readonly spec: ServiceSpec }).spec.selector);
    const [first] = selector;
    if (first === undefined) continue;
    const pair = pairOf(service.metadata.namespace, first);
    appendTo(byPair, pair, { service, selector });
  }
  return (namespace, labels) =>
    Object.entries(labels)
      .flatMap((label) => byPair.get(pairOf(namespace, label)) ?? [])
      .filter(({ selector }) => isSelected(labels, selector))
      .map(({ service }) => service)
      .sort((first, second) => (first.metadata.name < second.metadata.name ? -1 : 1));
}

function pairOf(namespace: string, [key, value]: readonly [string, string]): string {
  return `${namespace}/${key}=${value}`;
}
