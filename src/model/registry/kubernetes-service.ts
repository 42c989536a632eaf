import type { ServiceBody, ServicePort } from '../../config/core/service.js';
import { keyOf, type MeshObject } from '../../config/object.js';
import { readServiceFailPolicy } from '../policy/read-service-fail-policy.js';
import { selectProtocol } from '../select-protocol.js';
import type { Port, Service } from '../service.js';
import type { Translation } from './translation.js';

export type KubernetesService = MeshObject<'Service', ServiceBody>;

function kubernetesHostname(name: string, namespace: string, domain: string): string {
  return `${name}.${namespace}.svc.${domain}`;
}

/** Sidecars carry no SCTP. */
export function servedPorts({ body: { spec } }: KubernetesService): readonly ServicePort[] {
  return spec.ports.filter(({ protocol }) => protocol !== 'SCTP');
}

export function isExternalName({ body: { spec } }: KubernetesService): boolean {
  return spec.type === 'ExternalName' && (spec.externalName ?? '') !== '';
}

/** Translates a core Service into the mesh's (BEHAVIOUR 5): its ports' protocols, addresses and visibility. */
export function translateKubernetesService(object: KubernetesService, translation: Translation): Service {
  const { name, namespace, labels, annotations, creationTimestamp } = object.metadata;
  const { spec } = object.body;
  const external = isExternalName(object);
  const addresses = external ? [] : clusterAddresses(object);
  const headless = !external && spec.clusterIP === 'None';
  const failPolicy = readServiceFailPolicy(annotations, translation.meshDomain);
  return {
    hostname: kubernetesHostname(name, namespace, translation.domain),
    name,
    namespace,
    registry: 'Orchestrator',
    addresses,
    ports: servedPorts(object).map(translatePort),
    resolution: external ? 'dns' : headless && !translation.edsForHeadlessServices ? 'passthrough' : 'endpoints',
    headless,
    meshExternal: external,
    exportTo: exportTo(annotations[`networking.${translation.meshDomain}/exportTo`], translation),
    labels,
    ...(external && { externalName: spec.externalName as string }),
    subjectAltNames: [],
    ...(failPolicy && { failPolicy }),
    creationTimestamp: creationTimestamp ?? '',
    source: keyOf(object),
  };
}

function translatePort({ name, port, protocol, appProtocol }: ServicePort): Port {
  return { name, number: port, protocol: selectProtocol({ number: port, name, transport: protocol, appProtocol }) };
}

export function clusterAddresses({ body: { spec } }: KubernetesService): readonly string[] {
  const all = [spec.clusterIP ?? '', ...(spec.clusterIPs ?? [])];
  return [...new Set(all)].filter((address) => address !== '' && address !== 'None');
}

/** Where the service is reached from outside of its cluster: at its load balancer, or else at addresses it was given. */
export function externalAddresses({ body: { spec, status } }: KubernetesService): readonly string[] {
  const balancers = spec.type === 'LoadBalancer' ? (status?.loadBalancer?.ingress ?? []) : [];
  const ips = balancers.flatMap(({ ip }) => ip ?? []);
  return ips.length > 0 ? ips : (spec.externalIPs ?? []);
}

/** The annotation is a comma list of namespaces, `*` or `.`. */
function exportTo(annotation: string | undefined, { defaultServiceExportTo }: Translation): readonly string[] {
  const stated = (annotation ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return stated.length === 0 ? defaultServiceExportTo : [...new Set(stated)];
}
