import type { HttpAnswer, HttpRequest } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import type { EnvoyJson } from '../counterparts/envoy-bootstrap.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type MeshRigOptions, type Sidecar } from '../counterparts/mesh-rig.js';
import type { SidecarCounterparts } from '../counterparts/requirement.js';

export const SERVER_ADDRESS = '10.244.0.6';
export const CLIENT_ADDRESS = '10.244.0.5';

/** Policy settings of the mesh config; other fields have their defaults. */
export interface PolicySettings {
  /** Default `embedded`. */
  readonly mixerCheckServer?: string;
  /** Default `embedded`. */
  readonly mixerReportServer?: string;
  /** Default `HTTP`. */
  readonly policyCheckProtocol?: 'HTTP' | 'GRPC';
  /** Default false; undefined leaves the field out. */
  readonly policyCheckFailOpen?: boolean | undefined;
  /** Default false. */
  readonly disableMixerHttpReports?: boolean;
  /** Default false. */
  readonly enableClientSidePolicyCheck?: boolean;
  /** Where sidecars find the control plane, and so its policy server; default: a server at the router. */
  readonly discoveryAddress?: string;
}

/** A mesh config with checks and reports on. */
export function policyMeshConfig({ discoveryAddress = '10.244.0.1:15010', ...settings }: PolicySettings = {}): string {
  return JSON.stringify({
    defaultConfig: { discoveryAddress },
    mixerCheckServer: 'embedded',
    mixerReportServer: 'embedded',
    disablePolicyChecks: false,
    disableMixerHttpReports: false,
    policyCheckFailOpen: false,
    ...settings,
  });
}

/** A limit of the policy server; defaults are a rolling minute, and no dimensions. */
export interface Limit {
  readonly name: string;
  readonly maxAmount: number;
  readonly validDuration?: string;
  readonly window?: 'fixed' | 'rolling';
  readonly dimensions?: readonly string[];
  readonly overrides?: readonly {
    readonly dimensions: Readonly<Record<string, string>>;
    readonly maxAmount: number;
  }[];
}

/** Text of a policy server configuration. */
export function policyConfig(limits: readonly Limit[], more: Readonly<Record<string, unknown>> = {}): string {
  const quotas = limits.map((limit) => ({ validDuration: '1m', window: 'rolling', ...limit }));
  return JSON.stringify({ quotas, ...more });
}

/** Services of one workload: name and position give address and ports. */
function describeServices(names: readonly string[], tcpNames: readonly string[]): readonly ServiceOptions[] {
  return [
    ...names.map((name, index) => ({
      name,
      clusterIP: `10.96.0.${10 + index}`,
      ports: [{ name: 'http', port: 80, targetPort: 8080 + index }],
    })),
    ...tcpNames.map((name, index) => ({
      name,
      clusterIP: `10.96.1.${10 + index}`,
      ports: [{ name: 'tcp', port: 9000, targetPort: 9000 + index }],
    })),
  ];
}

export interface PolicyMeshOptions extends Omit<MeshRigOptions, 'files' | 'meshConfig' | 'policyConfig'> {
  /** HTTP services, port 80, of the server's workload. */
  readonly services: readonly string[];
  /** TCP services, port 9000, of the server's workload. */
  readonly tcpServices?: readonly string[];
  /** Bound specs by file name. */
  readonly specs: Readonly<Record<string, readonly Manifest[]>>;
  readonly limits: readonly Limit[];
  /** More of the policy server's configuration. */
  readonly policyConfig?: Readonly<Record<string, unknown>>;
  readonly settings?: PolicySettings;
  readonly serverMetadata?: EnvoyJson;
  /** Annotations of those services, by name. */
  readonly annotations?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** HTTP services that have a workload each, with its proxy's metadata. */
  readonly ownWorkloads?: Readonly<Record<string, EnvoyJson>>;
  /** More objects, by file name. */
  readonly files?: Readonly<Record<string, readonly Manifest[]>>;
  /** Objects that must exist before the sidecars start. */
  readonly beforeSidecars?: (mesh: MeshRig) => Promise<void>;
}

/** A client and a server with their sidecars, policies and limits. */
export interface PolicyMesh {
  readonly mesh: MeshRig;
  readonly client: Sidecar;
  readonly server: Sidecar;
  /** A request from the client's app to the service. */
  request(service: string, request?: Omit<HttpRequest, 'url'>): HttpRequest;
  /** So many requests from the client's app at the same time. */
  send(service: string, count: number, request?: Omit<HttpRequest, 'url'>): Promise<readonly HttpAnswer[]>;
  /** Address of a TCP service. */
  addressOf(service: string): string;
}

/** Everything is in force when this returns. The caller closes `mesh`. */
export async function createPolicyMesh(
  counterparts: SidecarCounterparts,
  {
    services,
    tcpServices = [],
    annotations = {},
    ownWorkloads = {},
    specs,
    limits,
    settings,
    serverMetadata,
    beforeSidecars,
    ...options
  }: PolicyMeshOptions,
): Promise<PolicyMesh> {
  const owned = Object.entries(ownWorkloads).map(([name, metadata], index) => ({
    service: { name, clusterIP: `10.96.2.${10 + index}`, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    address: `10.244.0.${20 + index}`,
    metadata,
  }));
  const shared = describeServices(services, tcpServices);
  const described = [...shared, ...owned.map(({ service }) => service)];
  const find = (name: string): ServiceOptions => {
    const service = described.find((each) => each.name === name);
    if (service === undefined) throw new Error(`the mesh has no service ${name}`);
    return service;
  };
  const mesh = await createMeshRig(counterparts, {
    ...options,
    meshConfig: policyMeshConfig(settings),
    policyConfig: policyConfig(limits, options.policyConfig),
    files: {
      'services.yaml': described.map((service) =>
        serviceManifest({ ...service, annotations: annotations[service.name] ?? {} }),
      ),
      'endpoints.yaml': [
        ...shared.map((service) => endpointsManifest(service, [SERVER_ADDRESS])),
        ...owned.map(({ service, address }) => endpointsManifest(service, [address])),
      ],
      ...specs,
      ...options.files,
    },
  });
  try {
    await beforeSidecars?.(mesh);
    const server = await mesh.addSidecar({
      name: 'server',
      address: SERVER_ADDRESS,
      ...(serverMetadata === undefined ? {} : { metadata: serverMetadata }),
    });
    for (const [index, name] of services.entries()) await server.agent.call('serveHttp', { name, port: 8080 + index });
    for (const [index, name] of tcpServices.entries())
      await server.agent.call('serveTcp', { name, port: 9000 + index });
    const others: Sidecar[] = [];
    for (const { service, address, metadata } of owned) {
      const sidecar = await mesh.addSidecar({ name: service.name, address, metadata });
      await sidecar.agent.call('serveHttp', { name: service.name, port: 8080 });
      others.push(sidecar);
    }
    const client = await mesh.addSidecar({ name: 'client', address: CLIENT_ADDRESS });
    await Promise.all([server, client, ...others].map(({ envoy }) => envoy.ready()));
    const request: PolicyMesh['request'] = (service, { path = '/', headers = {}, ...rest } = {}) => ({
      url: `http://${find(service).clusterIP}/`,
      path,
      headers: { host: service, ...headers },
      ...rest,
    });
    return {
      mesh,
      client,
      server,
      request,
      send: (service, count, options = {}) => {
        const requests = Array.from({ length: count }, () => request(service, options));
        return client.agent.call('requestMany', { requests });
      },
      addressOf: (service) => find(service).clusterIP,
    };
  } catch (error) {
    await mesh.close();
    throw error;
  }
}

/** How many answers have each status: `{ 200: 10, 429: 40 }`. */
export function countStatuses(answers: readonly HttpAnswer[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** After each test: nothing was refused, and nothing keeps a policy from being enforced. */
export async function assertPolicyHolds({ mesh }: PolicyMesh): Promise<void> {
  await mesh.assertNothingRejected();
  const problems = await mesh.discovery.get('/debug/config_problems');
  if (problems.includes('MESH0204')) throw new Error(`something keeps a policy from being enforced: ${problems}`);
}
