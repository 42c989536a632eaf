import { addTo, removeFrom } from '../../base/set-map.js';
import type { NodeBody } from '../../config/core/node.js';
import { keyOf, type MeshObject, objectKey } from '../../config/object.js';
import { DependencyIndex } from './dependency-index.js';
import { type Pod, podAddresses, translatePod } from './pod.js';
import { SelectorIndex } from './selector-index.js';
import type { Translation } from './translation.js';
import { joinLocality, type Workload } from './workload.js';
import type { WorkloadEntry } from './workload-entry.js';

/**
 * Pods, Nodes and WorkloadEntries of one cluster, and the services that use them. Every change reports the service keys
 * that have to be translated again.
 */
export class ClusterWorkloads {
  /** Selectors over Pods, by service key. */
  readonly podSelectors = new SelectorIndex();
  /** Selectors over WorkloadEntries, by service key. */
  readonly entrySelectors = new SelectorIndex();
  /** Pods (by key) and addresses that services looked up. */
  readonly dependencies = new DependencyIndex();
  readonly translated = new PodWorkloads();
  readonly #pods = new Map<string, Pod>();
  readonly #podsByAddress = new Map<string, Set<string>>();
  readonly #podsByNode = new Map<string, Set<string>>();
  readonly #nodeLocalities = new Map<string, string>();
  readonly #entries = new Map<string, WorkloadEntry>();

  setPod(pod: Pod, dirty: Set<string>): void {
    const key = keyOf(pod);
    this.#forgetPod(key, dirty);
    this.#pods.set(key, pod);
    const { name, namespace, labels } = pod.metadata;
    for (const address of podAddresses(pod)) {
      addTo(this.#podsByAddress, address, key);
      addAll(dirty, this.dependencies.serviceKeysOf(address));
    }
    const { nodeName } = pod.body.spec;
    if (nodeName !== undefined) addTo(this.#podsByNode, nodeName, key);
    addAll(dirty, this.podSelectors.setMember(key, namespace, labels));
    addAll(dirty, this.dependencies.serviceKeysOf(objectKey('Pod', namespace, name)));
  }

  deletePod(key: string, dirty: Set<string>): void {
    this.#forgetPod(key, dirty);
    addAll(dirty, this.podSelectors.deleteMember(key));
    addAll(dirty, this.dependencies.serviceKeysOf(key));
  }

  setNode(node: MeshObject<'Node', NodeBody>, dirty: Set<string>): void {
    this.#setLocality(node.metadata.name, nodeLocality(node.metadata.labels), dirty);
  }

  deleteNode(name: string, dirty: Set<string>): void {
    this.#setLocality(name, '', dirty);
  }

  setEntry(entry: WorkloadEntry, dirty: Set<string>): void {
    const key = keyOf(entry);
    this.#entries.set(key, entry);
    addAll(dirty, this.entrySelectors.setMember(key, entry.metadata.namespace, entry.body.labels));
  }

  deleteEntry(key: string, dirty: Set<string>): void {
    this.#entries.delete(key);
    addAll(dirty, this.entrySelectors.deleteMember(key));
  }

  pod(key: string): Pod | undefined {
    return this.#pods.get(key);
  }

  /** Pods on the network of their node share its address: a pod with an address of its own comes first. */
  podAt(address: string): Pod | undefined {
    let found: Pod | undefined;
    for (const key of [...(this.#podsByAddress.get(address) ?? [])].sort()) {
      const pod = this.#pods.get(key);
      if (pod !== undefined && !pod.body.spec.hostNetwork) return pod;
      found ??= pod;
    }
    return found;
  }

  /** `region/zone`; empty when the node is unknown or has no such labels. */
  localityOfNode(name: string | undefined): string {
    return name === undefined ? '' : (this.#nodeLocalities.get(name) ?? '');
  }

  podsSelectedBy(serviceKey: string): readonly Pod[] {
    return this.podSelectors.match(serviceKey).map((key) => this.#pods.get(key) as Pod);
  }

  entriesSelectedBy(serviceKey: string): readonly WorkloadEntry[] {
    return this.entrySelectors.match(serviceKey).map((key) => this.#entries.get(key) as WorkloadEntry);
  }

  #forgetPod(key: string, dirty: Set<string>): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    this.#pods.delete(key);
    for (const address of podAddresses(pod)) {
      removeFrom(this.#podsByAddress, address, key);
      addAll(dirty, this.dependencies.serviceKeysOf(address));
    }
    const { nodeName } = pod.body.spec;
    if (nodeName !== undefined) removeFrom(this.#podsByNode, nodeName, key);
  }

  #setLocality(node: string, locality: string, dirty: Set<string>): void {
    if (this.localityOfNode(node) === locality) return;
    if (locality === '') this.#nodeLocalities.delete(node);
    else this.#nodeLocalities.set(node, locality);
    addAll(dirty, this.dependencies.serviceKeysOf(nodeFact(node)));
    for (const key of this.#podsByNode.get(node) ?? []) {
      const pod = this.#pods.get(key);
      if (pod === undefined) continue;
      addAll(dirty, this.dependencies.serviceKeysOf(key));
      for (const address of podAddresses(pod)) addAll(dirty, this.dependencies.serviceKeysOf(address));
      addAll(dirty, this.podSelectors.selectorsOf(key));
    }
  }
}

/** The key of the dependency on a node, for the locality of an endpoint without a pod. */
export function nodeFact(name: string): string {
  return objectKey('Node', '', name);
}

function addAll(target: Set<string>, values: Iterable<string>): void {
  for (const value of values) target.add(value);
}

/** The locality from the topology labels of a Node; stable label names take precedence over old ones. */
function nodeLocality(labels: Readonly<Record<string, string>>): string {
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return joinLocality(region, zone);
}

interface Translated {
  readonly address: string;
  readonly locality: string;
  readonly translation: Translation;
  readonly workload: Workload;
}

/** Translates each pod once for all services that list it: its endpoints share their identity and name. */
export class PodWorkloads {
  readonly #known = new WeakMap<Pod, Translated>();

  /** The result of `translatePod`; the same object while pod, address, locality and translation are the same. */
  translate(pod: Pod, address: string, locality: string, translation: Translation): Workload {
    const known = this.#known.get(pod);
    const isSame =
      known !== undefined &&
      known.address === address &&
      known.locality === locality &&
      known.translation === translation;
    if (isSame) return known.workload;
    const workload = translatePod(pod, address, locality, translation);
    this.#known.set(pod, { address, locality, translation, workload });
    return workload;
  }
}
