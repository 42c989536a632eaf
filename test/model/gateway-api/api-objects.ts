import { gatewayControllerName } from '../../../src/config/gateway-api/gateway-api-names.js';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../../src/config/mesh-domain.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../../src/config/object.js';
import { DEFAULT_REGEX_LIMITS } from '../../../src/config/regex/regex-limits.js';
import type { GatewayApi } from '../../../src/model/gateway-api/gateway-api.js';
import { createGatewayApiIndexer, type GatewayApiIndexer } from '../../../src/model/gateway-api/gateway-api-index.js';
import type { ReportedCondition } from '../../../src/model/gateway-api/report.js';

const KINDS = createKindRegistry(DEFAULT_MESH_DOMAIN, undefined, {
  virtualServices: { delegates: false },
  gatewayApi: true,
});
const API = 'gateway.networking.k8s.io/v1';

export const MESH = { ingressService: 'ingress', rootNamespace: 'mesh-system' };

/** Reads an object as a cluster would deliver it. */
export function read(apiVersion: string, kind: string, path: string, rest: object, metadata: object = {}): MeshObject {
  const [namespace = '', name = ''] = path.includes('/') ? path.split('/') : ['', path];
  const raw = {
    apiVersion,
    kind,
    metadata: { namespace, name, generation: 3, resourceVersion: '1', ...metadata },
    ...rest,
  };
  const result = KINDS.read(raw, { defaultNamespace: 'default', origin: 'cluster' });
  if (result.type !== 'object') throw new Error(JSON.stringify(result));
  return result.object;
}

export const service = (path: string, spec: object = {}): MeshObject =>
  read('v1', 'Service', path, {
    spec: { clusterIP: '10.96.0.1', selector: { app: 'x' }, ports: [{ port: 80 }], ...spec },
  });
export const namespace = (name: string, labels: object): MeshObject => read('v1', 'Namespace', name, {}, { labels });
export const gatewayClass = (name: string, spec: object = {}): MeshObject =>
  read(API, 'GatewayClass', name, { spec: { controllerName: gatewayControllerName(DEFAULT_MESH_DOMAIN), ...spec } });
export const gateway = (path: string, listeners: readonly object[], spec: object = {}): MeshObject =>
  read(API, 'Gateway', path, { spec: { gatewayClassName: 'navigator', listeners, ...spec } });
export const route = (path: string, spec: object, metadata: object = {}): MeshObject =>
  read(API, 'HTTPRoute', path, { spec: { parentRefs: [{ name: 'public', namespace: 'edge' }], ...spec } }, metadata);
export const grant = (path: string, from: object, to: object): MeshObject =>
  read(API, 'ReferenceGrant', path, {
    spec: { from: [{ group: 'gateway.networking.k8s.io', ...from }], to: [{ group: '', ...to }] },
  });

export const http = (fields: object = {}) => ({
  ...{ name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } },
  ...fields,
});

/** The objects that every case has: a class, a router's Service, and a backend. */
export const COMMON = [gatewayClass('navigator'), service('mesh-system/ingress'), service('shop/web')];

export function createIndexer(): GatewayApiIndexer {
  return createGatewayApiIndexer('cluster.local', {
    controllerName: gatewayControllerName(DEFAULT_MESH_DOMAIN),
    ingressNamespace: '',
    regexLimits: DEFAULT_REGEX_LIMITS,
  });
}

export function tablesOf(objects: readonly MeshObject[]): ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>> {
  const tables = new Map<string, Map<ObjectKey, MeshObject>>();
  for (const object of objects) {
    const table = tables.get(object.kind) ?? new Map<ObjectKey, MeshObject>();
    tables.set(object.kind, table.set(keyOf(object), object));
  }
  return tables;
}

export function indexOf(...objects: readonly MeshObject[]): GatewayApi {
  return createIndexer()({ objects: tablesOf([...COMMON, ...objects]), mesh: MESH });
}

/** `Accepted=True Accepted` of each condition. */
export function textsOf(conditions: readonly ReportedCondition[] = []): readonly string[] {
  return conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}
