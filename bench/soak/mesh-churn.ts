import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { markedAddress } from '../kubernetes/marked-address.js';
import { replaceFile } from '../mesh/mesh-folder.js';
import type { MeshService } from '../mesh/mesh-shape.js';
import { formatRoutingFile, routingFilePath } from '../mesh/routing-yaml.js';
import { formatServiceFile, serviceFilePath } from '../mesh/service-yaml.js';
import type { MeshFolders } from '../subject/mesh-folder-changes.js';

/** Objects that live for so many of their kind, then leave: each has a name that no other had. */
const ALIVE_OF_EACH_KIND = 3;
/** No other address of the mesh is in its first octets. */
const CLUSTER_IP_PREFIX = '10.98';

export interface MeshChurn {
  /** Makes the next change. */
  next(): Promise<void>;
  /** Removes everything that came since the start, so that the mesh has the size that it had. */
  settle(): Promise<void>;
}

/** The file with objects that come and go; the number is in their names. */
type Visitor = (number: number, service: MeshService) => string;

/**
 * Changes a mesh folder without end: endpoints, weights of routes, and services, policies, security, scopes and filters
 * that come and go.
 *
 * @param routed services whose routes were generated
 */
export function createMeshChurn(
  { meshFolder, stagingFolder }: MeshFolders,
  services: readonly MeshService[],
  routed: readonly MeshService[],
): MeshChurn {
  const http = services.filter(({ kind }) => kind === 'http');
  const visitors = new Map(
    Object.entries(VISITORS).map(([kind, visitor]) => [kind, { visitor, files: [] as string[] }]),
  );
  const turns = ['endpoints', 'routes', ...visitors.keys()];
  let number = 0;

  const write = (path: string, content: string) => replaceFile(meshFolder, stagingFolder, path, content);
  const pick = (from: readonly MeshService[]): MeshService => {
    const service = from[number % from.length];
    if (service === undefined) throw new RangeError('A churn needs HTTP services and routed services.');
    return service;
  };
  const visit = async (kind: string): Promise<void> => {
    const { visitor, files } = visitors.get(kind) ?? {};
    if (visitor === undefined || files === undefined) return;
    const service = pick(http);
    const path = `${service.namespace}/${kind}-${number}.yaml`;
    await write(path, visitor(number, service));
    files.push(path);
    if (files.length > ALIVE_OF_EACH_KIND) await rm(join(meshFolder, files.shift() ?? ''));
  };

  return {
    next: async () => {
      number += 1;
      const turn = turns[number % turns.length] ?? '';
      if (turn === 'endpoints') {
        const service = pick(http);
        const endpoints = service.endpoints.with(-1, {
          ...{ nodeName: 'node-0', zone: 'zone-a' },
          ...service.endpoints.at(-1),
          address: markedAddress(number),
        });
        await write(serviceFilePath(service), formatServiceFile({ ...service, endpoints }));
      } else if (turn === 'routes') {
        const service = pick(routed);
        await write(routingFilePath(service), formatRoutingFile(service, number));
      } else {
        await visit(turn);
      }
    },
    settle: async () => {
      for (const { files } of visitors.values()) {
        for (const path of files.splice(0)) await rm(join(meshFolder, path));
      }
    },
  };
}

/** JSON is YAML too. */
function manifest(apiVersion: string, kind: string, name: string, { namespace }: MeshService, spec: object): string {
  return `${JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec })}\n`;
}

const NETWORKING = 'networking.mesh.internal/v1beta1';
const SECURITY = 'security.mesh.internal/v1beta1';
const POLICY = 'config.mesh.internal/v1alpha2';

const VISITORS: Readonly<Record<string, Visitor>> = {
  service: (number, { namespace, endpoints }) => {
    const name = `visitor-${number}`;
    const clusterIp = `${CLUSTER_IP_PREFIX}.${(number >>> 8) & 0xff}.${number & 0xff}`;
    const port = { name: 'http', port: 80, targetPort: 8080 };
    const few = endpoints.slice(0, 2);
    return formatServiceFile({ name, namespace, kind: 'http', clusterIp, ports: [port], endpoints: few });
  },
  quota: (number, service) => {
    const name = `quota-${number}`;
    return [
      manifest(POLICY, 'QuotaSpec', name, service, {
        rules: [
          {
            match: [{ clause: { 'request.path': { prefix: `/${number}` } } }],
            quotas: [{ quota: 'calls', charge: 1 }],
          },
        ],
      }),
      manifest(POLICY, 'QuotaSpecBinding', name, service, {
        services: [{ name: service.name }],
        quotaSpecs: [{ name }],
      }),
    ].join('---\n');
  },
  api: (number, service) => {
    const name = `api-${number}`;
    const attributes = { attributes: { 'api.operation': { stringValue: name } } };
    return [
      manifest(POLICY, 'HTTPAPISpec', name, service, {
        attributes: { attributes: { 'api.service': { stringValue: name } } },
        patterns: [{ httpMethod: 'GET', uriTemplate: `/${number}/{id}`, attributes }],
      }),
      manifest(POLICY, 'HTTPAPISpecBinding', name, service, {
        services: [{ name: service.name }],
        apiSpecs: [{ name }],
      }),
    ].join('---\n');
  },
  'policy-rule': (number, service) => {
    const counter = `counter-${number}`;
    const list = `list-${number}`;
    return [
      manifest(POLICY, 'handler', counter, service, {
        compiledAdapter: 'memquota',
        params: { quotas: [{ name: `${counter}.instance.${service.namespace}`, maxAmount: 100, validDuration: '1m' }] },
      }),
      manifest(POLICY, 'instance', counter, service, {
        compiledTemplate: 'quota',
        params: { dimensions: { caller: 'source.principal | "unknown"' } },
      }),
      manifest(POLICY, 'handler', list, service, {
        compiledAdapter: 'listchecker',
        params: { overrides: [`caller-${number}`], blacklist: true },
      }),
      manifest(POLICY, 'instance', list, service, {
        compiledTemplate: 'listentry',
        params: { value: 'request.headers["x-caller"] | ""' },
      }),
      manifest(POLICY, 'rule', `rule-${number}`, service, {
        match: `request.path.startsWith("/${number}")`,
        actions: [
          { handler: counter, instances: [counter] },
          { handler: list, instances: [list] },
        ],
      }),
    ].join('---\n');
  },
  plan: (number, service) => {
    const name = `plan-${number}`;
    return [
      manifest(POLICY, 'Plan', name, service, {
        services: [{ name: service.name }],
        limits: [{ name: 'burst', requests: 60, per: 'minute', of: 'key' }],
      }),
      manifest(POLICY, 'Consumer', name, service, {
        plan: { name },
        keys: [{ sha256: number.toString(16).padStart(64, '0') }],
      }),
    ].join('---\n');
  },
  'destination-rule': (number, service) =>
    manifest(NETWORKING, 'DestinationRule', `destination-rule-${number}`, service, {
      host: service.name,
      trafficPolicy: { connectionPool: { tcp: { connectTimeout: `${(number % 50) + 1}s` } } },
      subsets: [{ name: `subset-${number}`, labels: {} }],
    }),
  authorization: (number, service) =>
    manifest(SECURITY, 'AuthorizationPolicy', `authorization-${number}`, service, {
      selector: { matchLabels: { app: service.name } },
      action: 'DENY',
      rules: [{ to: [{ operation: { paths: [`/${number}`] } }] }],
    }),
  scope: (number, service) =>
    manifest(NETWORKING, 'Sidecar', `scope-${number}`, service, {
      workloadSelector: { labels: { app: service.name } },
      egress: [{ hosts: ['./*', `*/visitor-${number}.${service.namespace}.svc.cluster.local`] }],
    }),
  filter: (number, service) =>
    manifest(NETWORKING, 'EnvoyFilter', `filter-${number}`, service, {
      workloadSelector: { labels: { app: service.name } },
      configPatches: [
        {
          applyTo: 'CLUSTER',
          match: {
            context: 'SIDECAR_OUTBOUND',
            cluster: { service: `${service.name}.${service.namespace}.svc.cluster.local` },
          },
          patch: { operation: 'MERGE', value: { connect_timeout: `${(number % 50) + 1}s` } },
        },
      ],
    }),
};
