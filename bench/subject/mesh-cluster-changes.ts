import { loadAll } from 'js-yaml';
import type { KubernetesClient, KubernetesManifest } from '../../test/counterparts/kubernetes/kubernetes-client.js';
import type { Step } from './subject.js';

/** The objects of a mesh in files, with the namespaces that they need. */
export function meshObjects(files: ReadonlyMap<string, string>): readonly KubernetesManifest[] {
  const objects = [...files.values()].flatMap(objectsOf);
  const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  return [
    ...Array.from(namespaces, (name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ...objects,
  ];
}

/** The change phases of a server that reads a cluster: each object that differs is applied once. */
export class MeshClusterChanges {
  readonly #client: Pick<KubernetesClient, 'apply'>;
  #changed: readonly KubernetesManifest[] = [];

  constructor(client: Pick<KubernetesClient, 'apply'>) {
    this.#client = client;
  }

  /** Finds the objects that the change of the step changes. */
  async prepare(step: Step): Promise<void> {
    if (!('change' in step)) return;
    const before = new Set(objectsOf(step.change.before).map((object) => JSON.stringify(object)));
    this.#changed = objectsOf(step.change.after).filter((object) => !before.has(JSON.stringify(object)));
  }

  /** Makes the prepared change. */
  async trigger(): Promise<void> {
    await Promise.all(this.#changed.map((object) => this.#client.apply(object)));
  }
}

function objectsOf(file: string): readonly KubernetesManifest[] {
  return (loadAll(file) as unknown as KubernetesManifest[]).map(withoutClusterIp);
}

/** The API server assigns the address: it may have given the one of the file to its own service. */
function withoutClusterIp(object: KubernetesManifest): KubernetesManifest {
  const { clusterIP, ...spec } = (object['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  return object.kind !== 'Service' || clusterIP === 'None' ? object : { ...object, spec };
}
