import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '../counterparts/config-folder.js';
import { type ServiceOptions, serviceEntryManifest } from '../counterparts/manifests.js';
import type { Sidecar } from '../counterparts/mesh-rig.js';
import type { SidecarCounterparts } from '../counterparts/requirement.js';
import { createTestAuthority, type TestAuthority, type TestCertificate } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { activeClusters, type ShownCluster } from './envoy-evidence.js';
import { createSecuredMesh, type PodOptions, podManifest, type SecuredMesh, serviceOn } from './secured-mesh.js';

/** Servers without sidecars, on the router. The client is in north/a. */
export const SERVERS = [
  { name: 'one', address: '10.244.9.11', port: 8081, version: 'v1', locality: 'north/a' },
  { name: 'two', address: '10.244.9.12', port: 8082, version: 'v2', locality: 'north/b' },
  { name: 'three', address: '10.244.9.13', port: 8083, version: 'v2', locality: 'south/c' },
  { name: 'four', address: '10.244.9.14', port: 8084, version: 'v3', locality: 'east/d' },
] as const;

/** All servers; the client connects to VIP. */
export const POOL = 'pool.example.com';
export const POOL_VIP = '10.96.1.1';
/** Its address is that of the third server, its endpoint is the first one. */
export const KEPT = 'kept.example.com';
/** TLS servers: port 443 takes all clients, 444 those with a certificate. */
export const TLS = 'tls.example.com';
export const TLS_VIP = '10.96.1.2';

const WEB: PodOptions = {
  name: 'web-1',
  namespace: 'shop',
  address: '10.244.0.6',
  serviceAccount: 'web',
  isSecured: true,
};
const CLIENT: PodOptions = {
  ...WEB,
  name: 'client-1',
  namespace: 'default',
  address: '10.244.0.5',
  serviceAccount: 'client',
  locality: 'north/a',
};
/** With a sidecar. */
const WEB_SERVICE: ServiceOptions = {
  name: 'web',
  namespace: 'shop',
  clusterIP: '10.96.0.10',
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
export const WEB_HOST = 'web.shop.svc.cluster.local';

const internal = { location: 'MESH_INTERNAL', resolution: 'STATIC' };
const HTTP = { number: 80, name: 'http', protocol: 'HTTP' };
const ENTRIES = [
  serviceEntryManifest('pool', {
    ...internal,
    hosts: [POOL],
    addresses: [POOL_VIP],
    ports: [HTTP, { number: 81, name: 'second', protocol: 'HTTP' }],
    endpoints: SERVERS.map(({ address, port, version, locality }) => ({
      address,
      ports: { http: port, second: port },
      labels: { version },
      locality,
    })),
  }),
  serviceEntryManifest('kept', {
    ...internal,
    hosts: [KEPT],
    addresses: [SERVERS[2].address],
    ports: [{ number: SERVERS[2].port, name: 'http', protocol: 'HTTP' }],
    endpoints: [{ address: SERVERS[0].address, ports: { http: SERVERS[0].port } }],
  }),
  serviceEntryManifest('tls', {
    hosts: [TLS],
    addresses: [TLS_VIP],
    resolution: 'STATIC',
    ports: [
      { number: 443, name: 'tcp', protocol: 'TCP', targetPort: 8443 },
      { number: 444, name: 'mutual', protocol: 'TCP', targetPort: 8444 },
    ],
    endpoints: [{ address: SERVERS[0].address }],
  }),
];

/** Paths beside the client's proxy. */
export interface TlsFiles {
  readonly roots: string;
  readonly otherRoots: string;
  readonly certificate: string;
  readonly key: string;
}

export interface RuleMesh {
  readonly secured: SecuredMesh;
  readonly client: Sidecar;
  readonly web: Sidecar;
  readonly files: TlsFiles;
}

export async function createRuleMesh(counterparts: SidecarCounterparts): Promise<RuleMesh> {
  const files = { 'pods.yaml': [WEB, CLIENT].map(podManifest), 'web.yaml': serviceOn(WEB_SERVICE, WEB) };
  const secured = await createSecuredMesh(counterparts, { files: { ...files, 'entries.yaml': ENTRIES } });
  try {
    const { rig } = secured.mesh;
    const authority = createTestAuthority('servers');
    const tlsFiles = await writeTlsFiles(authority);
    rig.defer(() => rm(tlsFiles.folder, { recursive: true }));
    for (const { name, address, port } of SERVERS) {
      await rig.network.addRouterAddress(address);
      await rig.routerAgent.call('serveHttp', { name, port, address });
    }
    await serveTls(secured, authority);
    const [web, client] = await Promise.all([WEB, CLIENT].map(secured.addPod));
    if (web === undefined || client === undefined) throw new Error('a sidecar is missing');
    await web.agent.call('serveHttp', { name: 'web', port: 8080 });
    await Promise.all([web, client].map(({ envoy }) => envoy.ready()));
    return { secured, client, web, files: tlsFiles };
  } catch (error) {
    await secured.mesh.close();
    throw error;
  }
}

async function serveTls({ mesh }: SecuredMesh, authority: TestAuthority): Promise<void> {
  const server = authority.issue({ dnsNames: [TLS] });
  const options = { ...server, address: SERVERS[0].address, applicationProtocols: [], tellsHandshake: true };
  await mesh.rig.routerAgent.call('serveTls', { ...options, name: 'tls', port: 8443 });
  const clientRoots = authority.certificate;
  await mesh.rig.routerAgent.call('serveTls', { ...options, name: 'mutual', port: 8444, clientRoots });
}

async function writeTlsFiles(authority: TestAuthority): Promise<TlsFiles & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'destination-rule-'));
  // The proxy runs as another user.
  await chmod(folder, 0o755);
  const client: TestCertificate = authority.issue({ dnsNames: ['client.example.com'] });
  const write = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o644 });
    return path;
  };
  return {
    folder,
    roots: await write('roots.pem', authority.certificate),
    otherRoots: await write('other.pem', createTestAuthority('others').certificate),
    certificate: await write('client.pem', client.certificate),
    key: await write('key.pem', client.key),
  };
}

export function rule(host: string, spec: object, where = 'default/rule'): Manifest {
  const [namespace, name] = where.split('/');
  const apiVersion = 'networking.mesh.internal/v1beta1';
  return { apiVersion, kind: 'DestinationRule', metadata: { name, namespace }, spec: { host, ...spec } };
}

/** All clusters of the client's Envoy, by name. */
async function clustersOf({ client }: RuleMesh): Promise<ReadonlyMap<unknown, ShownCluster>> {
  return new Map((await activeClusters(client.envoy)).map((cluster) => [cluster['name'], cluster]));
}

/** The cluster of the client's Envoy; undefined if it has none of this name. */
export async function clusterOf(context: RuleMesh, name: string): Promise<ShownCluster | undefined> {
  return (await clustersOf(context)).get(name);
}

/**
 * Runs the checks with these rules in force, and removes them.
 *
 * @param name of a cluster that the rules change, or add
 */
export async function withRules(
  context: RuleMesh,
  name: string,
  rules: readonly Manifest[],
  check: (cluster: ShownCluster) => Promise<void>,
): Promise<void> {
  const { configFolder } = context.secured.mesh.discovery;
  const all = await clustersOf(context);
  const before = all.get(name);
  await configFolder.write('rules.yaml', rules);
  try {
    const changed = await eventually(`the rules change ${name}`, async () => {
      const cluster = await clusterOf(context, name);
      return !isDeepStrictEqual(cluster, before) && cluster;
    });
    await check(changed);
  } finally {
    await configFolder.remove('rules.yaml');
    // Rules may change more than one cluster, and each becomes active by itself.
    await eventually('all clusters are as they were before', async () =>
      isDeepStrictEqual(await clustersOf(context), all),
    );
  }
}
