/** An object as in a file. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: unknown;
}

/** The kinds, each with its spec. */
export type Specs = Readonly<Record<string, unknown>>;

interface BoundService {
  readonly name?: string;
  readonly namespace?: string;
  readonly domain?: string;
  readonly labels?: object;
  readonly service?: string;
}

const SERVICES = (namespace: string): readonly BoundService[] => [
  { name: 'web', namespace, domain: 'svc.cluster.local', labels: { version: 'v1' } },
  { service: `api.${namespace}.svc.cluster.local` },
];

/** A value of each type. */
function valuesOf(name: string): object {
  return {
    [`${name}.size`]: { int64Value: 7 },
    [`${name}.share`]: { doubleValue: 0.5 },
    [`${name}.isInternal`]: { boolValue: true },
    [`${name}.address`]: { bytesValue: 'CgAAAQ==' },
    [`${name}.since`]: { timestampValue: '2026-01-31T12:00:00Z' },
    [`${name}.patience`]: { durationValue: '10s' },
    [`${name}.tags`]: { stringMapValue: { entries: { tier: 'gold' } } },
  };
}

/** The Secret with keys in each namespace, and its entry. */
export const SECRET = 'keys';
export const SECRET_ENTRY = 'first';

/** Specs that have every field of their schemas, and in which every value has an effect. */
export function baseSpecs(namespace: string): Specs {
  return {
    QuotaSpec: {
      enforcement: 'exact',
      rules: [
        {
          match: [
            { clause: { 'request.path': { prefix: '/pets' }, 'context.protocol': { exact: 'http' } } },
            { clause: { 'request.host': { regex: 'web.*' } } },
          ],
          quotas: [{ quota: 'requests', charge: 2 }],
        },
        { match: [], quotas: [{ quota: 'others', charge: 1 }] },
      ],
      rateLimitHeaders: true,
      dryRun: true,
      refund: { responseCodes: ['5xx'] },
    },
    QuotaSpecBinding: { services: SERVICES(namespace), quotaSpecs: [{ name: 'quotaspec', namespace }] },
    HTTPAPISpec: {
      attributes: { attributes: { 'api.service': { stringValue: 'pets' }, ...valuesOf('team') } },
      patterns: [
        {
          httpMethod: 'GET',
          uriTemplate: '/pets/{id}',
          attributes: {
            attributes: {
              'api.operation': { stringValue: 'read' },
              ...valuesOf('operation'),
            },
          },
        },
        {
          httpMethod: 'POST',
          regex: '/pets/[a-z]+',
          attributes: { attributes: { 'api.operation': { stringValue: 'write' } } },
        },
      ],
      apiKeys: [{ query: 'key' }, { header: 'x-key' }],
    },
    HTTPAPISpecBinding: { services: SERVICES(namespace), apiSpecs: [{ name: 'httpapispec', namespace }] },
    Plan: {
      services: SERVICES(namespace).map(({ labels: _, ...service }) => service),
      match: [
        { clause: { 'request.path': { prefix: '/pets' }, 'context.protocol': { exact: 'http' } } },
        { clause: { 'request.host': { regex: 'web.*' } } },
      ],
      limits: [
        {
          ...{ name: 'burst', requests: 60, per: 'minute', window: 'rolling', of: 'key' },
          match: [
            { clause: { 'request.path': { prefix: '/pets/' }, 'context.protocol': { exact: 'http' } } },
            { clause: { 'request.host': { regex: 'web.*' } } },
          ],
        },
        { name: 'month', requests: 10_000, per: 'month', window: 'fixed', of: 'consumer', match: [] },
      ],
      anonymous: 'never',
      refund: { responseCodes: ['5xx'] },
    },
    Consumer: {
      plan: { name: 'plan', namespace },
      keys: [{ sha256: 'a'.repeat(64) }, { secretRef: { name: SECRET, key: SECRET_ENTRY } }],
    },
  };
}

export function policyManifest(namespace: string, kind: string, spec: unknown): Manifest {
  return {
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind,
    metadata: { name: kind.toLowerCase(), namespace },
    spec,
  };
}

/** Two HTTP services with one workload each, at different addresses. */
export function baseServices(namespace: string, number: number): readonly Manifest[] {
  return ['web', 'api'].map((name, index) =>
    serviceManifest(namespace, name, {
      ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
      endpoints: [{ address: `10.${index + 1}.${number >> 8}.${number & 255}`, labels: { version: 'v1' } }],
    }),
  );
}

export function serviceManifest(namespace: string, name: string, spec: object): Manifest {
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'ServiceEntry',
    metadata: { name, namespace },
    spec: {
      hosts: [`${name}.${namespace}.svc.cluster.local`],
      location: 'MESH_INTERNAL',
      resolution: 'STATIC',
      ...spec,
    },
  };
}
