import type { HttpAnswer, HttpRequest } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import {
  endpointsManifest,
  type ServiceOptions,
  serviceEntryManifest,
  serviceManifest,
} from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type Sidecar } from '../counterparts/mesh-rig.js';
import type { SidecarCounterparts } from '../counterparts/requirement.js';
import { createTestAuthority } from '../support/certificate-issuer.js';

const FIRST = '10.244.9.11';
const SECOND = '10.244.9.12';

export const WEB_VIP = '10.96.0.10';
export const NEXT_VIP = '10.96.0.11';
export const DB_VIP = '10.96.0.12';
export const TLS_VIP = '10.96.0.13';
export const WEB = 'web.default.svc.cluster.local';
export const NEXT = 'next.default.svc.cluster.local';
export const TLS_HOST = 'a.tls.example.com';

const SERVICES: readonly (readonly [ServiceOptions, string])[] = [
  [{ name: 'web', clusterIP: WEB_VIP, ports: [{ name: 'http', port: 80, targetPort: 8080 }] }, FIRST],
  [
    {
      name: 'next',
      clusterIP: NEXT_VIP,
      ports: [
        { name: 'http', port: 80, targetPort: 8080 },
        { name: 'http-second', port: 81, targetPort: 8081 },
      ],
    },
    SECOND,
  ],
  [
    {
      name: 'db',
      clusterIP: DB_VIP,
      ports: [1, 2, 3, 4, 5].map((at) => ({ name: `tcp-${at}`, port: 5430 + at, targetPort: 5432 })),
    },
    FIRST,
  ],
  [{ name: 'db-next', clusterIP: '10.96.0.15', ports: [{ name: 'tcp', port: 5432 }] }, SECOND],
];

const SUBSETS: readonly Manifest[] = [
  serviceEntryManifest('pool', {
    hosts: ['pool.example.com'],
    ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
    resolution: 'STATIC',
    endpoints: [
      { address: FIRST, ports: { http: 8080 }, labels: { version: 'v1' } },
      { address: SECOND, ports: { http: 8080 }, labels: { version: 'v2' } },
    ],
  }),
  {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'DestinationRule',
    metadata: { name: 'pool', namespace: 'default' },
    spec: { host: 'pool.example.com', subsets: [{ name: 'v2', labels: { version: 'v2' } }] },
  },
];

const TLS: readonly Manifest[] = ['a', 'b'].map((name, index) =>
  serviceEntryManifest(`tls-${name}`, {
    hosts: [`${name}.tls.example.com`],
    addresses: index === 0 ? [TLS_VIP] : ['10.96.0.14'],
    ports: [{ number: 443, name: 'tls', protocol: 'TLS', targetPort: 8443 }],
    resolution: 'STATIC',
    endpoints: [{ address: index === 0 ? FIRST : SECOND }],
  }),
);

export function virtualService(name: string, spec: object, namespace = 'default'): Manifest {
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'VirtualService',
    metadata: { name, namespace },
    spec,
  };
}

/** A client with a sidecar, and servers without. */
export interface RoutedMesh {
  readonly mesh: MeshRig;
  readonly client: Sidecar;
}

export async function createRoutedMesh(
  counterparts: SidecarCounterparts,
  virtualServices: readonly Manifest[],
): Promise<RoutedMesh> {
  const mesh = await createMeshRig(counterparts, {
    files: {
      'services.yaml': SERVICES.flatMap(([service, address]) => [
        serviceManifest(service),
        endpointsManifest(service, [address]),
      ]),
      'entries.yaml': [...SUBSETS, ...TLS],
      'virtual-services.yaml': virtualServices,
    },
    env: { NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE: 'true' },
  });
  try {
    await startServers(mesh);
    const client = await mesh.addSidecar({ name: 'client', address: '10.244.0.5', labels: { app: 'client' } });
    await client.envoy.ready();
    return { mesh, client };
  } catch (error) {
    await mesh.close();
    throw error;
  }
}

async function startServers({ rig }: MeshRig): Promise<void> {
  const { network, routerAgent } = rig;
  const authority = createTestAuthority('servers');
  for (const [address, name] of [
    [FIRST, 'first'],
    [SECOND, 'second'],
  ] as const) {
    await network.addRouterAddress(address);
    await routerAgent.call('serveHttp', { name, port: 8080, address });
    await routerAgent.call('serveTcp', { name, port: 5432, address });
    const certificate = authority.issue({ dnsNames: [`${name}.example.com`] });
    await routerAgent.call('serveTls', { ...certificate, name, port: 8443, address, applicationProtocols: ['echo'] });
  }
  await routerAgent.call('serveHttp', { name: 'second-81', port: 8081, address: SECOND });
}

export type Options = Partial<Omit<HttpRequest, 'url'>> & { readonly host?: string; readonly at?: string };

/** A request to a host, by default to web. */
export function send({ client }: RoutedMesh, path: string, options: Options = {}): Promise<HttpAnswer> {
  const { host = 'web', at = `${WEB_VIP}:80`, headers, ...rest } = options;
  return client.agent.request(`http://${at}${path}`, { ...rest, headers: { host, ...headers } });
}

/** The server that answers; the status where none does. */
export async function serverOf(context: RoutedMesh, path: string, options?: Options): Promise<string> {
  const { headers, status } = await send(context, path, options);
  return String(headers['x-served-by'] ?? status);
}
