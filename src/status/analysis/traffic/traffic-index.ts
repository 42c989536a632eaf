import { lazy } from '../../../base/lazy.js';
import { MESH_GATEWAY, resolveHost } from '../../../config/networking/host-names.js';
import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../../../config/object.js';
import type { ExpressionLanguage } from '../../../expressions/expression-types.js';
import type { PushContext } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { createImportableHostsIndexer, type ImportableHosts, type ImportableHostsIndexer } from './importable-hosts.js';
import { createObjectGrouper, type ObjectGrouper } from './object-groups.js';
import type { DestinationRulePart, VirtualServicePart } from './traffic-specs.js';
import { createWorkloadIndexer, type WorkloadIndex, type WorkloadIndexer } from './workload-index.js';

/** The parts of a snapshot that analyzers of traffic read. */
export type TrafficSource = Pick<
  PushContext,
  | 'objects'
  | 'services'
  | 'servicesByHost'
  | 'shadowedByHost'
  | 'mesh'
  | 'networks'
  | 'domain'
  | 'clusterOf'
  | 'peerAuthentications'
  | 'bindingGrants'
>;

/** Settings of the control plane that analyzers of traffic read. */
export interface TrafficSettings {
  /** NAV_SCOPE_GATEWAY_TO_NAMESPACE: Gateways select workloads of their own namespace only. Default false. */
  readonly isGatewayScopedToNamespace?: boolean;
  /** NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE. Default false. */
  readonly areDelegatesOn?: boolean;
  /** MESH_LANG: the language of rules and instances. Default legacy. */
  readonly expressionLanguage?: ExpressionLanguage;
  /** Image of the proxies that the injector adds to new pods; undefined where it is unknown. */
  readonly proxyImage?: string | undefined;
}

/** Lookups that the analyzers of one snapshot share. Each index is made when an analyzer first reads it. */
export interface TrafficIndex extends TrafficSource {
  /** Mesh domain of annotations and labels. */
  readonly meshDomain: string;
  /** The other objects with which a candidate or object of a kind is compared. */
  objectsOf(kind: string): Iterable<MeshObject>;
  find(kind: string, namespace: string, name: string): MeshObject | undefined;
  /** The service of a host as an object of the namespace writes it; a ServiceEntry for *.example.com has its subdomains. */
  serviceOf(host: string, namespace: string): Service | undefined;
  /** DestinationRules whose host is exactly this one. */
  rulesOf(hostname: string): readonly MeshObject[];
  /** VirtualServices of sidecars with exactly this host. */
  meshRoutesOf(hostname: string): readonly MeshObject[];
  sidecarsOf(namespace: string): readonly MeshObject[];
  /** VirtualServices with a route that names this one as its delegate. */
  rootsOf(delegate: ObjectKey): readonly MeshObject[];
  /** The hosts that Sidecars can import. */
  readonly importable: ImportableHosts;
  readonly workloads: WorkloadIndex;
  /** DestinationRules whose host is a wildcard that covers this one. */
  wildcardRulesOf(hostname: string): readonly MeshObject[];
  readonly settings: TrafficSettings;
  /** The service of a Service of Kubernetes. */
  serviceOfObject(object: MeshObject): Service | undefined;
  /** Whether pods of the namespace get sidecars: by its labels, or because one has a sidecar. */
  isInMesh(namespace: string): boolean;
  /** Whether a label of the namespace turns injection on. */
  isInjected(namespace: string): boolean;
}

/** The label of namespaces that turns injection on. */
export const INJECTION_LABEL = 'mesh-injection';
export const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease']);

/** Kept from one index to the next, its parts read only what has changed. */
export interface TrafficMemory {
  readonly workloadsOf: WorkloadIndexer;
  readonly rulesByHost: ObjectGrouper;
  readonly meshRoutesByHost: ObjectGrouper;
  readonly sidecarsByNamespace: ObjectGrouper;
  readonly rootsByDelegate: ObjectGrouper;
  readonly importableOf: ImportableHostsIndexer;
}

export function createTrafficMemory(): TrafficMemory {
  return {
    workloadsOf: createWorkloadIndexer(),
    rulesByHost: createObjectGrouper(({ body, metadata }, domain) => [
      resolveHost((body as DestinationRulePart).host ?? '', metadata.namespace, domain),
    ]),
    meshRoutesByHost: createObjectGrouper((object, domain) => (isOfMesh(object) ? meshHostsOf(object, domain) : [])),
    sidecarsByNamespace: createObjectGrouper(({ metadata }) => [metadata.namespace]),
    rootsByDelegate: createObjectGrouper(delegatesOf),
    importableOf: createImportableHostsIndexer(),
  };
}

export function createTrafficIndex(
  source: TrafficSource,
  memory: TrafficMemory,
  settings: TrafficSettings = {},
): TrafficIndex {
  const { objects, servicesByHost, domain } = source;
  const meshDomain = source.bindingGrants.annotation.replace(/^[^.]*\./, '').replace(/\/.*$/, '');
  const rules = () => memory.rulesByHost(objects.get('DestinationRule'), domain);
  const routes = () => memory.meshRoutesByHost(objects.get('VirtualService'), domain);
  const sidecars = () => memory.sidecarsByNamespace(objects.get('Sidecar'), domain);
  const roots = () => memory.rootsByDelegate(objects.get('VirtualService'), domain);
  const importable = lazy(() => memory.importableOf(source.services, objects.get('VirtualService'), domain));
  const workloads = lazy(() => memory.workloadsOf(objects, meshDomain));
  const labelsOf = (namespace: string) => objects.get('Namespace')?.get(`Namespace//${namespace}`)?.metadata.labels;
  const isInjected = (namespace: string): boolean => {
    const labels = labelsOf(namespace) ?? {};
    return labels[INJECTION_LABEL] === 'enabled' || labels[`${meshDomain}/rev`] !== undefined;
  };
  const withProxies = lazy(
    () => new Set(workloads().groups.flatMap(({ namespace, hasProxy }) => (hasProxy === true ? [namespace] : []))),
  );
  return {
    ...source,
    settings,
    isInjected,
    isInMesh: (namespace) => {
      if (SYSTEM_NAMESPACES.has(namespace)) return false;
      // A folder has no object for the namespaces that it fills.
      return labelsOf(namespace) === undefined || isInjected(namespace) || withProxies().has(namespace);
    },
    serviceOfObject: ({ metadata: { namespace, name } }) => servicesByHost.get(`${name}.${namespace}.svc.${domain}`),
    wildcardRulesOf: (hostname) => {
      const found: MeshObject[] = [...(rules().get('*') ?? [])];
      for (let dot = hostname.indexOf('.'); dot >= 0; dot = hostname.indexOf('.', dot + 1)) {
        found.push(...(rules().get(`*${hostname.slice(dot)}`) ?? []));
      }
      return found;
    },
    meshDomain,
    objectsOf: (kind) => objects.get(kind)?.values() ?? [],
    find: (kind, namespace, name) => objects.get(kind)?.get(`${kind}/${namespace}/${name}` as ObjectKey),
    serviceOf: (host, namespace) => {
      const hostname = resolveHost(host, namespace, domain);
      return servicesByHost.get(hostname) ?? coveringService(hostname, servicesByHost);
    },
    rulesOf: (hostname) => rules().get(hostname) ?? [],
    meshRoutesOf: (hostname) => routes().get(hostname) ?? [],
    sidecarsOf: (namespace) => sidecars().get(namespace) ?? [],
    rootsOf: (delegate) => roots().get(delegate) ?? [],
    get importable() {
      return importable();
    },
    get workloads() {
      return workloads();
    },
  };
}

/** Whether sidecars use the routes of a VirtualService. */
export function isOfMesh({ body }: MeshObject): boolean {
  const { gateways = [], hosts = [] } = body as VirtualServicePart;
  return hosts.length > 0 && (gateways.length === 0 || gateways.includes(MESH_GATEWAY));
}

export function meshHostsOf({ body, metadata }: MeshObject, domain: string): readonly string[] {
  const { hosts = [] } = body as VirtualServicePart;
  return [...new Set(hosts.map((host) => resolveHost(host, metadata.namespace, domain)))];
}

/** The keys of the VirtualServices that routes name as their delegates. */
function delegatesOf({ body, metadata }: MeshObject): readonly ObjectKey[] {
  const { http = [] } = body as VirtualServicePart;
  const keys = http.flatMap(({ delegate }) =>
    delegate?.name === undefined
      ? []
      : [objectKey('VirtualService', delegate.namespace || metadata.namespace, delegate.name)],
  );
  return [...new Set(keys)];
}

/** The namespaces to which a VirtualService is exported; `*` is all. */
export function exportedNamespaces({ body, metadata }: MeshObject, { mesh }: TrafficIndex): ReadonlySet<string> {
  const { exportTo = [] } = body as VirtualServicePart;
  const inForce = exportTo.length > 0 ? exportTo : mesh.defaultVirtualServiceExportTo;
  const namespaces = inForce.length > 0 ? inForce : ['*'];
  return new Set(namespaces.map((namespace) => (namespace === '.' ? metadata.namespace : namespace)));
}

/** The objects but the one of this key: another version of a candidate is no other object. */
export function otherThan(object: MeshObject, others: readonly MeshObject[]): readonly MeshObject[] {
  const key = keyOf(object);
  return others.filter((other) => keyOf(other) !== key);
}

function coveringService(hostname: string, servicesByHost: ReadonlyMap<string, Service>): Service | undefined {
  for (let dot = hostname.indexOf('.'); dot >= 0; dot = hostname.indexOf('.', dot + 1)) {
    const service = servicesByHost.get(`*${hostname.slice(dot)}`);
    if (service !== undefined) return service;
  }
  return undefined;
}
