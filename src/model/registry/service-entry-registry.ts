import { keyOf } from '../../config/object.js';
import type { Service } from '../service.js';
import type { ClusterWorkloads } from './cluster-workloads.js';
import { EndpointCollector } from './endpoint-collector.js';
import { isPodReady, podAddresses } from './pod.js';
import type { ServiceContribution } from './service-contribution.js';
import { podPorts, type ServiceEntry, translateServiceEntry, workloadPorts } from './service-entry.js';
import type { Translation } from './translation.js';
import { translateWorkloadEntry } from './workload-entry.js';

/** ServiceEntries of one cluster: hosts of no other registry, or further endpoints of their services. */
export class ServiceEntryRegistry {
  readonly #selectPods: boolean;
  readonly #workloads: ClusterWorkloads;
  readonly #entries = new Map<string, ServiceEntry>();

  /** @param selectPods NAV_ENABLE_SERVICEENTRY_SELECT_PODS */
  constructor(selectPods: boolean, workloads: ClusterWorkloads) {
    this.#selectPods = selectPods;
    this.#workloads = workloads;
  }

  set(entry: ServiceEntry, dirty: Set<string>): void {
    const key = keyOf(entry);
    this.#entries.set(key, entry);
    const { namespace } = entry.metadata;
    const labels = entry.body.workloadSelector?.labels ?? {};
    this.#workloads.entrySelectors.setSelector(key, namespace, labels);
    if (this.#selectPods) this.#workloads.podSelectors.setSelector(key, namespace, labels);
    dirty.add(key);
  }

  delete(key: string, dirty: Set<string>): void {
    if (!this.#entries.delete(key)) return;
    this.#workloads.entrySelectors.deleteSelector(key);
    this.#workloads.podSelectors.deleteSelector(key);
    dirty.add(key);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Translates one entry: a contribution per host, none when there is no such entry. */
  contributions(key: string, translation: Translation): readonly ServiceContribution[] {
    const entry = this.#entries.get(key);
    if (entry === undefined) return [];
    return translateServiceEntry(entry, translation).map((service) =>
      this.#contribution(key, entry, service, translation),
    );
  }

  #contribution(key: string, entry: ServiceEntry, service: Service, translation: Translation): ServiceContribution {
    const { body, metadata } = entry;
    const collector = new EndpointCollector(service, this.#workloads, translation);
    for (const workload of body.endpoints) {
      const facts = translateWorkloadEntry(workload, metadata.namespace, '', translation);
      collector.addWorkload(facts, workload.address, workloadPorts(body.ports, workload));
    }
    for (const selected of this.#workloads.entriesSelectedBy(key)) {
      const { name, namespace } = selected.metadata;
      const facts = translateWorkloadEntry(selected.body, namespace, name, translation);
      collector.addWorkload(facts, selected.body.address, workloadPorts(body.ports, selected.body));
    }
    for (const pod of this.#workloads.podsSelectedBy(key)) {
      const address = podAddresses(pod)[0];
      if (address !== undefined) collector.addPod(pod, address, isPodReady(pod), podPorts(body.ports));
    }
    if (body.resolution === 'DNS' && body.endpoints.length === 0 && body.workloadSelector === undefined) {
      // The host stands for itself.
      const workload = { address: service.hostname, ports: {}, labels: {}, network: '', locality: '', weight: 0 };
      const facts = translateWorkloadEntry({ ...workload, serviceAccount: '' }, metadata.namespace, '', translation);
      collector.addWorkload(facts, service.hostname, podPorts(body.ports));
    }
    return collector.contribution();
  }
}
