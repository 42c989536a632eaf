import type { JsonObject } from './json-object.js';

/** Generated workload. */
export interface WebhookWorkloadSize {
  /** Quota rules of each QuotaSpec. */
  readonly rules: number;
  readonly services: number;
}

export interface WebhookWorkload {
  /** The mesh that objects come into: services, ten to a QuotaSpec of their own, and one QuotaSpec for all of them. */
  readonly mesh: readonly JsonObject[];
  /** AdmissionReviews that API servers send: each an update of another QuotaSpec, or of the same one to other rules. */
  readonly reviews: readonly string[];
}

const NAMESPACE = 'shop';
const SERVICES_PER_SPEC = 10;
const REVIEWS = 200;
const API_VERSION = 'config.mesh.internal/v1alpha2';

export function buildWebhookWorkload({ rules, services }: WebhookWorkloadSize): WebhookWorkload {
  const specs = Math.max(1, Math.ceil(services / SERVICES_PER_SPEC));
  const names = Array.from({ length: specs }, (_, index) => `limits-${index}`);
  return {
    mesh: [
      ...Array.from({ length: services }, (_, index) => serviceEntry(index)),
      ...names.map((name) => quotaSpec(name, rules)),
      ...names.map((name, index) => binding(name, servicesOf(index, services))),
      quotaSpec('everywhere', rules),
      binding('everywhere', [{ service: '*' }]),
    ],
    reviews: Array.from({ length: REVIEWS }, (_, index) => {
      const name = names[index % specs] ?? '';
      return review(name, index, quotaSpec(name, rules, index + 1), quotaSpec(name, rules));
    }),
  };
}

function serviceEntry(index: number): JsonObject {
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'ServiceEntry',
    metadata: { name: `web-${index}`, namespace: NAMESPACE },
    spec: {
      hosts: [`web-${index}.${NAMESPACE}.svc.cluster.local`],
      ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
      location: 'MESH_INTERNAL',
      resolution: 'DNS',
    },
  };
}

/** Every tenth rule has a regular expression; rules of specs with other names never hold together. */
function quotaSpec(name: string, count: number, generation = 0): JsonObject {
  const rules = Array.from({ length: count }, (_, index) => ({
    match: [
      {
        clause: {
          'source.namespace': { exact: `${name}-${index}` },
          'request.method': { exact: index % 2 === 0 ? 'GET' : 'POST' },
          'request.path':
            index % 10 === 0
              ? { regex: `/${name}/v${generation}/items/[0-9]+/parts-${index}` }
              : { prefix: `/${name}/${index}` },
        },
      },
    ],
    quotas: [{ quota: 'requests', charge: 1 + generation }],
  }));
  return { apiVersion: API_VERSION, kind: 'QuotaSpec', metadata: { name, namespace: NAMESPACE }, spec: { rules } };
}

function servicesOf(spec: number, services: number): readonly JsonObject[] {
  const first = spec * SERVICES_PER_SPEC;
  const count = Math.min(SERVICES_PER_SPEC, services - first);
  return Array.from({ length: count }, (_, index) => ({ name: `web-${first + index}` }));
}

function binding(name: string, services: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: API_VERSION,
    kind: 'QuotaSpecBinding',
    metadata: { name, namespace: NAMESPACE },
    spec: { services, quotaSpecs: [{ name }] },
  };
}

function review(name: string, index: number, object: JsonObject, oldObject: JsonObject): string {
  const version = { group: 'config.mesh.internal', version: 'v1alpha2' };
  return JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      kind: { ...version, kind: 'QuotaSpec' },
      resource: { ...version, resource: 'quotaspecs' },
      requestKind: { ...version, kind: 'QuotaSpec' },
      requestResource: { ...version, resource: 'quotaspecs' },
      name,
      namespace: NAMESPACE,
      operation: 'UPDATE',
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      object,
      oldObject,
      dryRun: false,
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kubectl' },
    },
  });
}
