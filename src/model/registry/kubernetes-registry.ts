import { SERVICE_NAME_LABEL } from '../../config/core/endpoint-slice.js';
import type { ServicePort } from '../../config/core/service.js';
import { keyOf, objectKey } from '../../config/object.js';
import type { Service } from '../service.js';
import type { ClusterWorkloads } from './cluster-workloads.js';
import { EndpointCollector, type TargetPort } from './endpoint-collector.js';
import { type EndpointSlice, type EndpointsObject, listEndpoints, listSlices } from './kubernetes-endpoints.js';
import {
  externalAddresses,
  isExternalName,
  type KubernetesService,
  servedPorts,
  translateKubernetesService,
} from './kubernetes-service.js';
import { containerPort, isPodReady, type Pod, podAddresses } from './pod.js';
import type { ServiceContribution } from './service-contribution.js';
import type { Translation } from './translation.js';
import { translateWorkloadEntry, type WorkloadEntry } from './workload-entry.js';

/** Settings of docs/configuration.md#environment-variables that this registry reads. */
export interface KubernetesRegistrySettings {
  readonly useEndpointSlice: boolean;
  readonly servicesSelectWorkloadEntries: boolean;
}

/**
 * Core Services of one cluster and the sources of their endpoints. The setting names the preferred kind; a service with
 * only the other kind gets its endpoints from that. The kinds are never merged, because in a cluster each mirrors the
 * other. A service with neither gets the pods that its selector matches: a folder has no endpoints controller.
 */
export class KubernetesRegistry {
  readonly #settings: KubernetesRegistrySettings;
  readonly #workloads: ClusterWorkloads;
  readonly #services = new Map<string, KubernetesService>();
  /** By key of their Service. */
  readonly #endpoints = new Map<string, EndpointsObject>();
  readonly #slices = new Map<string, Map<string, EndpointSlice>>();
  /** Slice key to Service key. */
  readonly #sliceOwners = new Map<string, string>();
  readonly #translated = new WeakMap<
    KubernetesService,
    { readonly translation: Translation; readonly service: Service }
  >();

  constructor(settings: KubernetesRegistrySettings, workloads: ClusterWorkloads) {
    this.#settings = settings;
    this.#workloads = workloads;
  }

  setService(service: KubernetesService, dirty: Set<string>): void {
    const key = keyOf(service);
    this.#services.set(key, service);
    this.#select(key);
    dirty.add(key);
  }

  deleteService(key: string, dirty: Set<string>): void {
    this.#services.delete(key);
    this.#select(key);
    dirty.add(key);
  }

  setEndpoints(object: EndpointsObject, dirty: Set<string>): void {
    const service = objectKey('Service', object.metadata.namespace, object.metadata.name);
    this.#endpoints.set(service, object);
    this.#select(service);
    dirty.add(service);
  }

  deleteEndpoints(namespace: string, name: string, dirty: Set<string>): void {
    const service = objectKey('Service', namespace, name);
    this.#endpoints.delete(service);
    this.#select(service);
    dirty.add(service);
  }

  setSlice(slice: EndpointSlice, dirty: Set<string>): void {
    const key = keyOf(slice);
    const owner = slice.metadata.labels[SERVICE_NAME_LABEL];
    const service = owner === undefined ? undefined : objectKey('Service', slice.metadata.namespace, owner);
    if (this.#sliceOwners.get(key) !== service) this.deleteSlice(key, dirty);
    if (service === undefined) return;
    this.#sliceOwners.set(key, service);
    const slices = this.#slices.get(service);
    if (slices === undefined) {
      this.#slices.set(service, new Map([[key, slice]]));
      this.#select(service);
    } else {
      // The last changed one comes last.
      slices.delete(key);
      slices.set(key, slice);
    }
    dirty.add(service);
  }

  deleteSlice(key: string, dirty: Set<string>): void {
    const service = this.#sliceOwners.get(key);
    if (service === undefined) return;
    this.#sliceOwners.delete(key);
    const slices = this.#slices.get(service);
    slices?.delete(key);
    if (slices?.size === 0) this.#slices.delete(service);
    this.#select(service);
    dirty.add(service);
  }

  keys(): Iterable<string> {
    return this.#services.keys();
  }

  /** Translates one Service; undefined when there is none of that key. */
  contribution(key: string, translation: Translation): ServiceContribution | undefined {
    const object = this.#services.get(key);
    if (object === undefined) {
      this.#workloads.dependencies.set(key, []);
      return undefined;
    }
    const service = this.#translate(object, translation);
    const collector = new EndpointCollector(service, this.#workloads, translation);
    this.#collect(key, object, service, collector, translation);
    this.#workloads.dependencies.set(key, collector.facts);
    const external = externalAddresses(object);
    return external.length === 0
      ? collector.contribution()
      : { ...collector.contribution(), externalAddresses: external };
  }

  /** The same service object while only its endpoints change. */
  #translate(object: KubernetesService, translation: Translation): Service {
    const known = this.#translated.get(object);
    if (known?.translation === translation) return known.service;
    const service = translateKubernetesService(object, translation);
    this.#translated.set(object, { translation, service });
    return service;
  }

  #collect(
    key: string,
    object: KubernetesService,
    service: Service,
    collector: EndpointCollector,
    translation: Translation,
  ): void {
    const { publishNotReadyAddresses } = object.body.spec;
    if (isExternalName(object)) {
      const workload = externalWorkload(service, translation);
      const ports = service.ports.map(({ name, number }) => ({ name, port: number }));
      collector.addWorkload(workload, service.externalName ?? '', ports);
      return;
    }
    switch (this.#endpointSource(key)) {
      case 'Endpoints':
        listEndpoints(this.#endpoints.get(key) as EndpointsObject, publishNotReadyAddresses, collector);
        break;
      case 'EndpointSlice':
        listSlices([...(this.#slices.get(key) ?? new Map()).values()], service, publishNotReadyAddresses, collector);
        break;
      case 'Pod':
        for (const pod of this.#workloads.podsSelectedBy(key)) {
          addSelectedPod(pod, object, publishNotReadyAddresses, collector);
        }
        break;
    }
    for (const entry of this.#workloads.entriesSelectedBy(key)) {
      const { name, namespace } = entry.metadata;
      const workload = translateWorkloadEntry(entry.body, namespace, name, translation);
      collector.addWorkload(workload, entry.body.address, entryPorts(entry, object));
    }
  }

  #endpointSource(service: string): 'Endpoints' | 'EndpointSlice' | 'Pod' {
    const { useEndpointSlice } = this.#settings;
    const [hasEndpoints, hasSlices] = [this.#endpoints.has(service), this.#slices.has(service)];
    if (hasSlices && (useEndpointSlice || !hasEndpoints)) return 'EndpointSlice';
    return hasEndpoints ? 'Endpoints' : 'Pod';
  }

  /** Selectors apply only if no object lists the endpoints. */
  #select(key: string): void {
    const service = this.#services.get(key);
    const { podSelectors, entrySelectors } = this.#workloads;
    if (service === undefined || isExternalName(service)) {
      podSelectors.deleteSelector(key);
      entrySelectors.deleteSelector(key);
      return;
    }
    const { namespace } = service.metadata;
    const { selector } = service.body.spec;
    if (this.#endpointSource(key) === 'Pod') podSelectors.setSelector(key, namespace, selector);
    else podSelectors.deleteSelector(key);
    if (this.#settings.servicesSelectWorkloadEntries) entrySelectors.setSelector(key, namespace, selector);
  }
}

function addSelectedPod(pod: Pod, object: KubernetesService, publishUnready: boolean, to: EndpointCollector): void {
  const address = podAddresses(pod)[0];
  if (address === undefined) return;
  const ports: TargetPort[] = [];
  for (const servicePort of servedPorts(object)) {
    const port = podPort(pod, servicePort);
    if (port !== undefined) ports.push({ name: servicePort.name, port });
  }
  to.addPod(pod, address, publishUnready || isPodReady(pod), ports);
}

/** Undefined when the pod has no port of that name; Kubernetes leaves such a pod out as well. */
function podPort(pod: Pod, { port, targetPort = port }: ServicePort): number | undefined {
  return typeof targetPort === 'number' ? targetPort : containerPort(pod, targetPort);
}

/** A workload entry names its ports by service port names or by target port names. */
function entryPorts({ body: { ports } }: WorkloadEntry, service: KubernetesService): readonly TargetPort[] {
  return servedPorts(service).map(({ name, port, targetPort = port }) => {
    const target = typeof targetPort === 'number' ? targetPort : (ports[targetPort] ?? port);
    return { name, port: ports[name] ?? target };
  });
}

function externalWorkload(
  service: Service,
  { networkOf }: Translation,
): Parameters<EndpointCollector['addWorkload']>[0] {
  return {
    labels: {},
    locality: '',
    network: networkOf(service.externalName ?? ''),
    weight: 1,
    serviceAccount: '',
    tlsMode: 'disabled',
    workloadName: '',
    namespace: service.namespace,
  };
}
