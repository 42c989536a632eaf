import { isIpAddress } from '../../base/ip-address.js';
import type { TargetReference } from '../../config/core/endpoints.js';
import { objectKey } from '../../config/object.js';
import type { Endpoint } from '../endpoint.js';
import type { Finding } from '../finding.js';
import type { Resolution, Service } from '../service.js';
import { orderEndpoints } from '../store/merge-contributions.js';
import { type ClusterWorkloads, nodeFact } from './cluster-workloads.js';
import type { Pod } from './pod.js';
import type { ServiceContribution } from './service-contribution.js';
import type { Translation } from './translation.js';
import { buildEndpoint, joinLocality, type Workload } from './workload.js';

/** One address that an Endpoints or EndpointSlice object lists. */
export interface ListedAddress {
  readonly address: string;
  readonly ready: boolean;
  readonly hostname: string;
  readonly nodeName?: string | undefined;
  /** Zone of the slice, used when the node is unknown. */
  readonly zone?: string | undefined;
  readonly targetRef?: TargetReference | undefined;
}

export interface TargetPort {
  readonly name: string;
  readonly port: number;
}

/** Collects the endpoints of one contribution, their dependencies and findings. */
export class EndpointCollector {
  readonly #service: Service;
  readonly #workloads: ClusterWorkloads;
  readonly #translation: Translation;
  readonly #ready: Endpoint[] = [];
  readonly #unready: Endpoint[] = [];
  readonly #findings = new Map<string, Finding>();
  readonly #facts: string[] = [];

  constructor(service: Service, workloads: ClusterWorkloads, translation: Translation) {
    this.#service = service;
    this.#workloads = workloads;
    this.#translation = translation;
  }

  /** Keys of objects that were looked up, found or not. */
  get facts(): readonly string[] {
    return this.#facts;
  }

  /** Adds an address that an object lists, with the labels, identity and locality of its pod if it has one. */
  addListed(listed: ListedAddress, ports: readonly TargetPort[]): void {
    const { address, targetRef } = listed;
    const pod = this.#podOf(listed);
    if (pod === undefined && targetRef?.kind === 'Pod') {
      const message = `Endpoint ${address} of ${this.#service.hostname} names Pod ${targetRef.namespace ?? this.#service.namespace}/${targetRef.name ?? ''}, which is not known; it is served without labels and identity`;
      this.#report('endpoint_no_pod', address, message);
    }
    const workload = pod === undefined ? this.#podless(listed) : this.#ofPod(pod, address);
    if (!listed.ready) this.#reportNotReady(address);
    for (const { name, port } of ports) {
      this.#add(listed.ready, workload, { address, port, portName: name, hostname: listed.hostname });
    }
  }

  /** Adds a selected pod. */
  addPod(pod: Pod, address: string, ready: boolean, ports: readonly TargetPort[]): void {
    const workload = this.#ofPod(pod, address);
    if (!ready) this.#reportNotReady(address);
    const { hostname = '', subdomain } = pod.body.spec;
    const ownName = subdomain === this.#service.name ? hostname : '';
    for (const { name, port } of ports) {
      this.#add(ready, workload, { address, port, portName: name, hostname: ownName });
    }
  }

  /** Adds a workload that is not a pod; a unix socket has no port. */
  addWorkload(workload: Workload, address: string, ports: readonly TargetPort[]): void {
    const isSocket = isUnixAddress(address);
    for (const { name, port } of ports) {
      this.#add(true, workload, { address, port: isSocket ? 0 : port, portName: name, hostname: '' });
    }
  }

  contribution(): ServiceContribution {
    return {
      service: this.#service,
      cluster: this.#translation.cluster,
      endpoints: orderEndpoints(this.#ready),
      unready: orderEndpoints(this.#unready),
      findings: [...this.#findings.values()],
    };
  }

  #podOf({ address, targetRef }: ListedAddress): Pod | undefined {
    if (targetRef?.kind === 'Pod' && targetRef.name !== undefined) {
      const key = objectKey('Pod', targetRef.namespace ?? this.#service.namespace, targetRef.name);
      this.#facts.push(key);
      return this.#workloads.pod(key);
    }
    this.#facts.push(address);
    return this.#workloads.podAt(address);
  }

  #ofPod(pod: Pod, address: string): Workload {
    const locality = this.#workloads.localityOfNode(pod.body.spec.nodeName);
    return this.#workloads.translated.translate(pod, address, locality, this.#translation);
  }

  #podless({ address, nodeName, zone }: ListedAddress): Workload {
    if (nodeName !== undefined) this.#facts.push(nodeFact(nodeName));
    return {
      labels: NO_LABELS,
      locality: this.#workloads.localityOfNode(nodeName) || joinLocality('', zone ?? ''),
      network: this.#translation.networkOf(address),
      weight: 1,
      serviceAccount: '',
      tlsMode: 'disabled',
      workloadName: '',
      namespace: this.#service.namespace,
    };
  }

  #add(ready: boolean, workload: Workload, place: Parameters<typeof buildEndpoint>[1]): void {
    if (!isServable(place.address, this.#service.resolution)) return;
    (ready ? this.#ready : this.#unready).push(buildEndpoint(workload, place));
  }

  #reportNotReady(address: string): void {
    const message = `Endpoint ${address} of ${this.#service.hostname} is not ready; it is served when it is`;
    this.#report('nav_endpoint_not_ready', address, message);
  }

  #report(metric: Finding['metric'], address: string, message: string): void {
    const key = `${this.#service.hostname}|${address}`;
    this.#findings.set(`${metric}|${key}`, { metric, key, message });
  }
}

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});

const UNIX_PREFIX = 'unix://';

function isUnixAddress(address: string): boolean {
  return address.startsWith(UNIX_PREFIX);
}

/**
 * Whether proxies accept the address. Names are allowed only for services that proxies resolve by DNS: Envoy rejects an
 * assignment of EDS with a name.
 */
export function isServable(address: string, resolution: Resolution): boolean {
  if (address === '') return false;
  return resolution === 'dns' || isUnixAddress(address) || isIpAddress(address);
}
