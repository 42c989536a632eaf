import type { EndpointSliceBody } from '../../src/config/core/endpoint-slice.js';
import type { EndpointsBody } from '../../src/config/core/endpoints.js';
import type { PodSpec, PodStatus } from '../../src/config/core/pod.js';
import type { ServicePort, ServiceSpec } from '../../src/config/core/service.js';
import type { ServiceEntrySpec } from '../../src/config/networking/service-entry.js';
import type { WorkloadEntrySpec } from '../../src/config/networking/workload-entry.js';
import type { MeshObject, ObjectMeta } from '../../src/config/object.js';
import type { ChangeBatch, ObjectChange } from '../../src/model/object-change.js';
import type { PushContext } from '../../src/model/push-context.js';
import { nextPushContext } from '../../src/model/snapshot/next-push-context.js';
import { createMeshStore, type MeshDocuments, type MeshStore } from '../../src/model/store/mesh-store.js';
import type { MeshStoreSettings } from '../../src/model/store/mesh-store-settings.js';
import { MESH, NO_NETWORKS } from '../generators/context-builder.js';

/** Objects as sources deliver them: `<namespace>/<name>`, body fields over plain defaults, metadata over those. */
export type Meta = Partial<ObjectMeta>;

export const SETTINGS: MeshStoreSettings = {
  domain: 'cluster.local',
  clusterId: 'east',
  meshDomain: 'mesh.internal',
  revision: '',
  trustDomain: '',
  useEndpointSlice: false,
  servicesSelectWorkloadEntries: true,
  serviceEntriesSelectPods: true,
  edsForHeadlessServices: false,
};

export function storeWith(
  settings: Partial<MeshStoreSettings> = {},
  documents: Partial<MeshDocuments> = {},
): MeshStore {
  return createMeshStore({ ...SETTINGS, ...settings }, { mesh: MESH, networks: NO_NETWORKS, ...documents });
}

export function batch(...changes: readonly (MeshObject | ObjectChange)[]): ChangeBatch {
  return {
    cluster: 'east',
    changes: changes.map((item) => ('type' in item ? item : { type: 'upsert', object: item })),
  };
}

export function gone({ kind, metadata: { namespace, name } }: MeshObject): ObjectChange {
  return { type: 'delete', kind, namespace, name };
}

/** The snapshot of a fresh mesh with these objects. */
export function contextOf(objects: readonly MeshObject[], settings: Partial<MeshStoreSettings> = {}): PushContext {
  const store = storeWith(settings);
  store.apply(batch(...objects));
  return snapshot(store);
}

export function snapshot(store: MeshStore, previous?: PushContext): PushContext {
  return nextPushContext(previous, store, new Date(0));
}

let versions = 0;

function object<Kind extends string, Body>(kind: Kind, path: string, body: Body, meta: Meta): MeshObject<Kind, Body> {
  const [namespace = '', name = ''] = path.split('/');
  versions++;
  const apiVersion = kind.endsWith('Entry') ? 'networking.mesh.internal/v1beta1' : 'v1';
  return {
    kind,
    apiVersion,
    metadata: { name, namespace, labels: {}, annotations: {}, resourceVersion: String(versions), ...meta },
    body,
  };
}

export function port(number: number, name = 'http', fields: Partial<ServicePort> = {}): ServicePort {
  return { name, port: number, protocol: 'TCP', ...fields };
}

export function service(path: string, fields: Partial<ServiceSpec> = {}, meta: Meta = {}): MeshObject {
  const spec: ServiceSpec = {
    type: 'ClusterIP',
    clusterIP: '10.96.0.1',
    ports: [port(80)],
    selector: {},
    publishNotReadyAddresses: false,
    ...fields,
  };
  return object('Service', path, { spec }, meta);
}

/** @param ips ready addresses, served on 8080 as `http` */
export function endpoints(path: string, ips: readonly string[], fields: Partial<EndpointsBody> = {}): MeshObject {
  const subset = {
    addresses: ips.map((ip) => ({ ip })),
    notReadyAddresses: [],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' as const }],
  };
  return object('Endpoints', path, { subsets: [subset], ...fields }, {});
}

export function slice(path: string, owner: string, fields: Partial<EndpointSliceBody>): MeshObject {
  const ports = [{ name: 'http', port: 8080, protocol: 'TCP' as const }];
  const body: EndpointSliceBody = { addressType: 'IPv4', endpoints: [], ports, ...fields };
  return object('EndpointSlice', path, body, { labels: { 'kubernetes.io/service-name': owner } });
}

/** A running pod of service account `default`. */
export function pod(
  path: string,
  podIP: string,
  meta: Meta = {},
  spec: Partial<PodSpec> = {},
  status: Partial<PodStatus> = {},
): MeshObject {
  const fullSpec: PodSpec = { serviceAccountName: 'default', hostNetwork: false, containers: [], ...spec };
  const fullStatus: PodStatus = { phase: 'Running', podIP, podIPs: [], conditions: [], ...status };
  return object('Pod', path, { spec: fullSpec, status: fullStatus }, meta);
}

export function node(name: string, region: string, zone: string): MeshObject {
  const labels = { 'topology.kubernetes.io/region': region, 'topology.kubernetes.io/zone': zone };
  return object('Node', `/${name}`, { status: { addresses: [] } }, { labels });
}

export function workload(address: string, fields: Partial<WorkloadEntrySpec> = {}): WorkloadEntrySpec {
  return { address, ports: {}, labels: {}, network: '', locality: '', weight: 0, serviceAccount: '', ...fields };
}

export function workloadEntry(path: string, address: string, fields: Partial<WorkloadEntrySpec> = {}): MeshObject {
  return object('WorkloadEntry', path, workload(address, fields), {});
}

/** A STATIC entry for one host with port 80, seen by all. */
export function serviceEntry(path: string, fields: Partial<ServiceEntrySpec>, meta: Meta = {}): MeshObject {
  const body: ServiceEntrySpec = {
    hosts: ['api.example.com'],
    addresses: [],
    ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
    location: 'MESH_EXTERNAL',
    resolution: 'STATIC',
    endpoints: [],
    exportTo: [],
    subjectAltNames: [],
    ...fields,
  };
  return object('ServiceEntry', path, body, meta);
}

export function otherObject(kind: string, path: string, meta: Meta = {}): MeshObject {
  return object(kind, path, {}, meta);
}
