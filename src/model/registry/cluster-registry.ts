import type { NodeBody } from '../../config/core/node.js';
import { keyOf, type MeshObject, objectKey } from '../../config/object.js';
import { ClusterWorkloads } from './cluster-workloads.js';
import type { EndpointSlice, EndpointsObject } from './kubernetes-endpoints.js';
import { KubernetesRegistry, type KubernetesRegistrySettings } from './kubernetes-registry.js';
import type { KubernetesService } from './kubernetes-service.js';
import type { Pod } from './pod.js';
import type { ServiceContribution } from './service-contribution.js';
import type { ServiceEntry } from './service-entry.js';
import { ServiceEntryRegistry } from './service-entry-registry.js';
import type { Translation } from './translation.js';
import type { WorkloadEntry } from './workload-entry.js';

export interface ClusterRegistrySettings extends KubernetesRegistrySettings {
  readonly serviceEntriesSelectPods: boolean;
}

/** All registries of one cluster. Service keys are the object keys of its Services and ServiceEntries. */
export class ClusterRegistry {
  readonly #workloads = new ClusterWorkloads();
  readonly #kubernetes: KubernetesRegistry;
  readonly #serviceEntries: ServiceEntryRegistry;

  constructor(settings: ClusterRegistrySettings) {
    this.#kubernetes = new KubernetesRegistry(settings, this.#workloads);
    this.#serviceEntries = new ServiceEntryRegistry(settings.serviceEntriesSelectPods, this.#workloads);
  }

  /** @param dirty receives the service keys that have to be translated again */
  set(object: MeshObject, dirty: Set<string>): void {
    switch (object.kind) {
      case 'Service':
        this.#kubernetes.setService(object as KubernetesService, dirty);
        break;
      case 'Endpoints':
        this.#kubernetes.setEndpoints(object as EndpointsObject, dirty);
        break;
      case 'EndpointSlice':
        this.#kubernetes.setSlice(object as EndpointSlice, dirty);
        break;
      case 'Pod':
        this.#workloads.setPod(object as Pod, dirty);
        break;
      case 'Node':
        this.#workloads.setNode(object as MeshObject<'Node', NodeBody>, dirty);
        break;
      case 'ServiceEntry':
        this.#serviceEntries.set(object as ServiceEntry, dirty);
        break;
      case 'WorkloadEntry':
        this.#workloads.setEntry(object as WorkloadEntry, dirty);
        break;
    }
  }

  delete(object: MeshObject, dirty: Set<string>): void {
    const { kind, metadata } = object;
    const key = keyOf(object);
    switch (kind) {
      case 'Service':
        this.#kubernetes.deleteService(key, dirty);
        break;
      case 'Endpoints':
        this.#kubernetes.deleteEndpoints(metadata.namespace, metadata.name, dirty);
        break;
      case 'EndpointSlice':
        this.#kubernetes.deleteSlice(key, dirty);
        break;
      case 'Pod':
        this.#workloads.deletePod(key, dirty);
        break;
      case 'Node':
        this.#workloads.deleteNode(metadata.name, dirty);
        break;
      case 'ServiceEntry':
        this.#serviceEntries.delete(key, dirty);
        break;
      case 'WorkloadEntry':
        this.#workloads.deleteEntry(key, dirty);
        break;
    }
  }

  serviceKeys(): string[] {
    return [...this.#kubernetes.keys(), ...this.#serviceEntries.keys()];
  }

  /** The contributions of a Service or ServiceEntry; empty when it is gone. */
  contributions(serviceKey: string, translation: Translation): readonly ServiceContribution[] {
    if (!serviceKey.startsWith(SERVICE_PREFIX)) return this.#serviceEntries.contributions(serviceKey, translation);
    const contribution = this.#kubernetes.contribution(serviceKey, translation);
    return contribution === undefined ? [] : [contribution];
  }
}

const SERVICE_PREFIX = objectKey('Service', '', '').slice(0, -1);
