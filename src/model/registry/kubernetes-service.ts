import type { ServiceBody, ServicePort } from '../../config/core/service.js';
import { keyOf, type MeshObject } from '../../config/object.js';
import { isDnsLabel } from '../../config/primitives.js';
import { readServiceFailPolicy } from '../policy/read-service-fail-policy.js';
import { selectProtocol } from '../select-protocol.js';
import { type Port, type RefusedAnnotation, type Service, shownValue } from '../service.js';
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

/**
 * Translates a core Service: the protocols of its ports (docs/reference/xds.md#protocol-selection), its addresses and
 * its visibility.
 */
export function translateKubernetesService(object: KubernetesService, translation: Translation): Service {
  const { name, namespace, labels, annotations, creationTimestamp } = object.metadata;
  const { spec } = object.body;
  const external = isExternalName(object);
  const addresses = external ? [] : clusterAddresses(object);
  const headless = !external && spec.clusterIP === 'None';
  const { failPolicy, refused } = readServiceFailPolicy(annotations, translation.meshDomain);
  const exported = readExportTo(annotations, translation);
  const refusedAnnotations = [...exported.refused, ...refused];
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
    exportTo: exported.exportTo,
    labels,
    ...(external && { externalName: spec.externalName as string }),
    subjectAltNames: [],
    ...(failPolicy && { failPolicy }),
    ...(refusedAnnotations.length > 0 && { refusedAnnotations }),
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

/** Addresses for clients outside of the cluster: those of its load balancer, or else `externalIPs`. */
export function externalAddresses({ body: { spec, status } }: KubernetesService): readonly string[] {
  const balancers = spec.type === 'LoadBalancer' ? (status?.loadBalancer?.ingress ?? []) : [];
  const ips = balancers.flatMap(({ ip }) => ip ?? []);
  return ips.length > 0 ? ips : (spec.externalIPs ?? []);
}

const OWN_NAMESPACE: readonly string[] = ['.'];
const MAX_REFUSED = 20;

/**
 * Reads `networking.D/exportTo` of a Service: namespaces between commas, `*` or `.`. Other items are left out. If none
 * is left, only its own namespace sees the Service: an unreadable annotation must not expose it.
 */
function readExportTo(
  annotations: Readonly<Record<string, string>>,
  { meshDomain, defaultServiceExportTo }: Pick<Translation, 'meshDomain' | 'defaultServiceExportTo'>,
): { readonly exportTo: readonly string[]; readonly refused: readonly RefusedAnnotation[] } {
  const annotation = `networking.${meshDomain}/exportTo`;
  const items = (annotations[annotation] ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) return { exportTo: defaultServiceExportTo, refused: [] };
  const stated = new Set(items);
  const wrong = [...stated].filter((item) => item !== '*' && item !== '.' && !isDnsLabel(item));
  for (const item of wrong) stated.delete(item);
  const refused = wrong.slice(0, MAX_REFUSED).map((item) => ({
    annotation,
    value: shownValue(item),
    problem: stated.size === 0 ? 'is no namespace, so only the own namespace sees the service' : 'is no namespace',
    remedy: 'use namespaces between commas, "*" for all, or "." for the own namespace',
  }));
  return { exportTo: stated.size === 0 ? OWN_NAMESPACE : [...stated], refused };
}
