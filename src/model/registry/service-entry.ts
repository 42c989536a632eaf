import type { ServiceEntryPort, ServiceEntrySpec } from '../../config/networking/service-entry.js';
import type { WorkloadEntrySpec } from '../../config/networking/workload-entry.js';
import { keyOf, type MeshObject } from '../../config/object.js';
import { exportToOf } from '../entries/entry-offences.js';
import { readServiceFailPolicy } from '../policy/read-service-fail-policy.js';
import { selectStatedProtocol } from '../select-protocol.js';
import type { Resolution, Service } from '../service.js';
import type { TargetPort } from './endpoint-collector.js';
import type { Translation } from './translation.js';

export type ServiceEntry = MeshObject<'ServiceEntry', ServiceEntrySpec>;

const RESOLUTIONS: Readonly<Record<ServiceEntrySpec['resolution'], Resolution>> = {
  NONE: 'passthrough',
  STATIC: 'endpoints',
  DNS: 'dns',
};

const OWN_NAMESPACE: readonly string[] = ['.'];

/**
 * One Service per host; all have the ports and addresses of the entry
 * (docs/reference/validation-rules.md#serviceentry). Only its own namespace sees a host that the entry may not export.
 */
export function translateServiceEntry(entry: ServiceEntry, translation: Translation): readonly Service[] {
  const { metadata, body } = entry;
  const ports = body.ports.map(({ name, number, protocol }) => ({
    name,
    number,
    protocol: selectStatedProtocol(number, protocol),
  }));
  const offences = translation.offencesOf(entry);
  const exportTo = exportToOf(body, translation.defaultServiceExportTo);
  const { failPolicy, refused } = readServiceFailPolicy(metadata.annotations, translation.meshDomain);
  const isConfined = (hostname: string): boolean => offences.some(({ host = hostname }) => host === hostname);
  return [...new Set(body.hosts)].map((hostname) => ({
    hostname,
    name: hostname,
    namespace: metadata.namespace,
    registry: 'External',
    addresses: body.addresses,
    ports,
    resolution: RESOLUTIONS[body.resolution],
    headless: false,
    meshExternal: body.location === 'MESH_EXTERNAL',
    exportTo: isConfined(hostname) ? OWN_NAMESPACE : exportTo,
    labels: metadata.labels,
    subjectAltNames: body.subjectAltNames,
    ...(failPolicy && { failPolicy }),
    ...(refused.length > 0 && { refusedAnnotations: refused }),
    creationTimestamp: metadata.creationTimestamp ?? '',
    source: keyOf(entry),
    ...(metadata.namespace === translation.rootNamespace && { isOfRoot: true as const }),
  }));
}

/** The ports of a pod that the entry selects. */
export function podPorts(ports: readonly ServiceEntryPort[]): readonly TargetPort[] {
  return ports.map(({ name, number, targetPort = number }) => ({ name, port: targetPort }));
}

/** The ports of a workload entry: its own port map takes precedence. */
export function workloadPorts(ports: readonly ServiceEntryPort[], workload: WorkloadEntrySpec): readonly TargetPort[] {
  return ports.map(({ name, number, targetPort = number }) => ({ name, port: workload.ports[name] ?? targetPort }));
}
