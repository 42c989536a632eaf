import type { HttpRequest } from '../counterparts/agent/calls.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import type { MeshRig, Sidecar } from '../counterparts/mesh-rig.js';
import { eventually } from '../support/eventually.js';
import { SPLIT, splitRoutes } from './split-routes.js';

/** A sidecar that speaks xDS in its own way. */
export interface ModeClient {
  /** For messages. */
  readonly mode: string;
  readonly sidecar: Sidecar;
  /** Whether it has the routes of services that its workload has not called. */
  readonly isEager: boolean;
}

export interface ChurnOptions {
  readonly mesh: MeshRig;
  readonly clients: readonly ModeClient[];
  /** Of two workloads that serve port 8080. */
  readonly servers: readonly [string, string];
  readonly seconds: number;
  /** At least so many rounds, however long they take. */
  readonly minRounds: number;
}

/** What one client saw. */
export interface ModeReport {
  readonly mode: string;
  readonly requests: number;
  /** Requests of the load, and of bursts to new services, that failed; with words about the first ones. */
  readonly failures: number;
  readonly samples: readonly string[];
  /** Streams to the control plane that were opened meanwhile. */
  readonly streams: number;
}

/** Requests to a new service once it has answered. */
const BURST = 20;
/** A request to an address without a route waits for a connection; it is given up earlier than that. */
const PROBE_TIMEOUT_MS = 2_000;
/** Each client sends it without pause: the host whose routes and subsets change in each round. */
const CHANGING: HttpRequest = { url: `http://${SPLIT.address}/`, headers: { host: SPLIT.host } };

/**
 * Lets services come, change and go, and weights, rules and subsets of a host change, while each client sends requests
 * without pause. Each round a service comes, with one endpoint, gets a second one, and goes; every other round it has a
 * name that a service had before.
 */
export async function churnServices(options: ChurnOptions): Promise<{ rounds: number; reports: ModeReport[] }> {
  const { mesh, clients, servers, seconds, minRounds } = options;
  const { configFolder } = mesh.discovery;
  const bursts = new Map(clients.map(({ mode }) => [mode, { requests: 0, samples: [] as string[] }]));
  await configFolder.write('split.yaml', splitRoutes(0, servers));
  await Promise.all(clients.map((client) => isRouted(client, 0)));
  const streams = await Promise.all(clients.map(({ sidecar }) => streamsOf(sidecar)));
  for (const { sidecar } of clients) await sidecar.agent.call('startLoad', { request: CHANGING, concurrency: 1 });

  const endsAt = performance.now() + seconds * 1000;
  let round = 0;
  while (performance.now() < endsAt || round < minRounds) {
    round += 1;
    const service = extraService(round);
    await Promise.all([
      configFolder.write('extra.yaml', [serviceManifest(service), endpointsManifest(service, servers.slice(0, 1))]),
      configFolder.write('split.yaml', splitRoutes(round, servers)),
    ]);
    // A sidecar on demand asks when the others know the service: its answer is then that of the new mesh.
    for (const group of [clients.filter(({ isEager }) => isEager), clients.filter(({ isEager }) => !isEager)]) {
      await Promise.all(group.map((client) => callNewService(client, service, bursts.get(client.mode))));
    }
    await configFolder.write('extra.yaml', [serviceManifest(service), endpointsManifest(service, servers)]);
    await Promise.all(clients.map((client) => isRouted(client, round)));
    await Promise.all(clients.map((client) => hasEndpoints(client, service, servers)));
    await configFolder.remove('extra.yaml');
    await Promise.all(clients.map((client) => hasLeft(client, `${service.name}.default.svc.cluster.local`)));
  }

  const reports = await Promise.all(
    clients.map(async ({ mode, sidecar }, index): Promise<ModeReport> => {
      const load = await sidecar.agent.call('stopLoad', null);
      const { requests, samples } = bursts.get(mode) ?? { requests: 0, samples: [] };
      return {
        mode,
        requests: load.requests + requests,
        failures: load.failures + samples.length,
        samples: [...load.samples, ...samples],
        streams: (await streamsOf(sidecar)) - (streams[index] ?? 0),
      };
    }),
  );
  await configFolder.remove('split.yaml');
  await Promise.all(clients.map((client) => hasLeft(client, SPLIT.host)));
  return { rounds: round, reports };
}

function extraService(round: number): ServiceOptions {
  const number = round % 2 === 0 ? 0 : round;
  return {
    name: `extra-${number}`,
    clusterIP: `10.97.${Math.floor(number / 250)}.${(number % 250) + 1}`,
    ports: [{ name: 'http', port: 80, targetPort: 8080 }],
  };
}

async function isRouted({ mode, sidecar: { agent } }: ModeClient, round: number): Promise<void> {
  await eventually(`${mode}: round ${round} is in force`, async () => {
    const answer = await agent.request(CHANGING.url, { ...CHANGING, timeoutMs: PROBE_TIMEOUT_MS });
    return answer.status === 200 && answer.headers['x-round'] === `${round}`;
  });
}

async function callNewService(
  { mode, sidecar, isEager }: ModeClient,
  { name, clusterIP }: ServiceOptions,
  burst: { requests: number; samples: string[] } | undefined,
): Promise<void> {
  const request: HttpRequest = { url: `http://${clusterIP}/`, headers: { host: name } };
  if (isEager) {
    await eventually(`${mode}: ${name} is known`, async () => {
      return (await routesOf(sidecar)).includes(`${name}.default.svc.cluster.local:80`);
    });
  }
  await eventually(`${mode}: ${name} answers`, async () => {
    const { status } = await sidecar.agent.request(request.url, { ...request, timeoutMs: PROBE_TIMEOUT_MS });
    return status === 200;
  });
  const answers = await sidecar.agent.call('requestMany', { requests: Array(BURST).fill(request), concurrency: 4 });
  if (burst === undefined) return;
  burst.requests += answers.length;
  for (const { status, body } of answers) if (status !== 200) burst.samples.push(`${name}: ${status} ${body}`);
}

async function hasEndpoints(
  { mode, sidecar }: ModeClient,
  { name }: ServiceOptions,
  addresses: readonly string[],
): Promise<void> {
  await eventually(`${mode}: ${name} has all endpoints`, async () => {
    const clusters = await clustersOf(sidecar);
    return addresses.every((address) => clusters.includes(`|${name}.default.svc.cluster.local::${address}:8080::`));
  });
}

async function hasLeft({ mode, sidecar }: ModeClient, host: string): Promise<void> {
  await eventually(`${mode}: ${host} is gone`, async () => !(await clustersOf(sidecar)).includes(`|${host}::`));
  await eventually(`${mode}: no cluster warms`, async () => {
    return (await sidecar.envoy.stat('cluster_manager.warming_clusters')) === 0;
  });
}

/** Streams and polls that Envoy has opened to the control plane. */
async function streamsOf({ envoy }: Sidecar): Promise<number> {
  return await envoy.stat('cluster.xds-grpc.upstream_rq_total');
}

const clustersOf = ({ envoy }: Sidecar) => envoy.admin('/clusters');
const routesOf = ({ envoy }: Sidecar) => envoy.admin('/config_dump?resource=dynamic_route_configs');
