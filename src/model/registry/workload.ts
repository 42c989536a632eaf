import type { Endpoint } from '../endpoint.js';

/** The facts about the process behind an address, from any kind of object. */
export type Workload = Pick<
  Endpoint,
  'labels' | 'locality' | 'network' | 'weight' | 'serviceAccount' | 'tlsMode' | 'workloadName' | 'namespace'
>;

/** The port of a workload that serves a service port. */
export interface EndpointPlace {
  readonly address: string;
  readonly port: number;
  readonly portName: string;
  readonly hostname: string;
}

export function buildEndpoint(workload: Workload, place: EndpointPlace): Endpoint {
  return {
    address: place.address,
    port: place.port,
    portName: place.portName,
    health: 'healthy',
    labels: workload.labels,
    locality: workload.locality,
    network: workload.network,
    weight: workload.weight,
    serviceAccount: workload.serviceAccount,
    tlsMode: workload.tlsMode,
    workloadName: workload.workloadName,
    namespace: workload.namespace,
    hostname: place.hostname,
  };
}

/**
 * The sidecar injector labels workloads that take mutual TLS with `security.D/tlsMode`
 * (docs/reference/webhooks.md#patch-order).
 */
export function tlsModeOf(labels: Readonly<Record<string, string>>, meshDomain: string): Endpoint['tlsMode'] {
  return labels[`security.${meshDomain}/tlsMode`] === 'mesh' ? 'mesh' : 'disabled';
}

/** `region/zone/subzone` without unknown parts at the end. */
export function joinLocality(region: string, zone: string, subZone = ''): string {
  return `${region}/${zone}/${subZone}`.replace(/\/+$/, '');
}
