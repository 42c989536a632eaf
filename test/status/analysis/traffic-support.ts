import type { MeshObject } from '../../../src/config/object.js';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { readObject } from '../../config/support/read-yaml.js';
import { contextOf, service } from '../../model/mesh-objects.js';
import { ENFORCEMENT } from './support.js';

let versions = 0;

/** @param where `<namespace>/<name>` */
function metadataOf(where: string, labels: Readonly<Record<string, string>> = {}) {
  const [namespace = '', name = ''] = where.split('/');
  return { namespace, name, labels, annotations: {}, resourceVersion: String(versions++) };
}

/** A valid object of a mesh kind. */
export function made(kind: string, where: string, spec: object): MeshObject {
  const group = kind.endsWith('Authentication') ? 'security' : 'networking';
  const apiVersion = `${group}.mesh.internal/v1beta1`;
  return readObject(JSON.stringify({ apiVersion, kind, metadata: metadataOf(where), spec }));
}

export function routes(where: string, destination: object, fields: object = {}): MeshObject {
  return made('VirtualService', where, { hosts: ['reviews'], http: [{ route: [{ destination }] }], ...fields });
}

export function rule(where: string, fields: object): MeshObject {
  return made('DestinationRule', where, { host: 'reviews', ...fields });
}

export function pod(where: string, labels: Readonly<Record<string, string>>, phase = 'Running'): MeshObject {
  const containers = [{ name: 'app', ports: [{ containerPort: 8080, protocol: 'TCP' }] }];
  const spec = { serviceAccountName: 'default', hostNetwork: false, containers };
  const body = { spec, status: { phase, podIPs: [], conditions: [] } };
  return { kind: 'Pod', apiVersion: 'v1', metadata: metadataOf(where, labels), body };
}

export function gatewayOf(where: string, number = 80, selector: object = {}): MeshObject {
  const servers = [{ port: { number, name: 'http', protocol: 'HTTP' }, hosts: ['*.example.com'] }];
  return made('Gateway', where, { selector, servers });
}

export const REVIEWS = service('shop/reviews', { selector: { app: 'reviews' } });

/** Codes and fields of all messages, apart from those about namespaces, pods and names of ports. */
export function found(...objects: readonly MeshObject[]): readonly string[] {
  return analyze(analysisInputOf(contextOf(objects), ENFORCEMENT))
    .filter(({ code }) => !['MESH0117', 'MESH0118'].includes(code))
    .map(({ code, object, field }) => `${code} ${object} ${field ?? ''}`.trim());
}

/** The messages of one code. */
export const only = (code: string, ...objects: readonly MeshObject[]) =>
  found(...objects).filter((message) => message.startsWith(code));
