import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import { type ConfigFolder, createConfigFolder } from './config-folder.js';
import type { AdsAddress } from './envoy-bootstrap.js';
import { type ManagedProcess, type ProcessEnd, startManagedProcess } from './managed-process.js';
import { sumOfSeries } from './metrics-text.js';
import { programFile } from './program-file.js';
import type { Rig } from './sidecar-rig.js';

/** Ports of the server; a namespace of its own has the usual ones free. */
export interface DiscoveryPorts {
  readonly grpc: number;
  readonly http: number;
  readonly monitoring: number;
  readonly policy: number;
  readonly secureGrpc: number;
}

const USUAL_PORTS: DiscoveryPorts = { grpc: 15010, http: 8080, monitoring: 15014, policy: 15016, secureGrpc: 15012 };

const TERMINATION_GRACE_MS = 60_000;

/** One row of /debug/syncz: nonces sent to and acknowledged by one proxy; absent before the first. */
export interface SyncRow {
  readonly proxy: string;
  readonly cluster_sent?: string;
  readonly cluster_acked?: string;
  readonly listener_sent?: string;
  readonly listener_acked?: string;
  readonly route_sent?: string;
  readonly route_acked?: string;
  readonly virtual_host_sent?: string;
  readonly virtual_host_acked?: string;
  readonly endpoint_sent?: string;
  readonly endpoint_acked?: string;
}

/** The server under test, as its own process in the router's namespace. */
export interface Discovery {
  readonly configFolder: ConfigFolder;
  readonly meshConfigFile: string;
  /** Where Envoys find it. */
  readonly adsAddress: AdsAddress;
  /** Replaces the mesh config file. */
  writeMeshConfig(text: string): Promise<void>;
  /** File of the policy server's configuration, which is missing until it is first written. */
  readonly policyConfigFile: string;
  /** Replaces it, never half a file. */
  writePolicyConfig(text: string): Promise<void>;
  /** Starts it (again) and waits until /ready answers 200. */
  start(): Promise<void>;
  /** Ends it at once, as a crash would: SIGKILL. */
  kill(): Promise<void>;
  /** Ends it as Kubernetes does, with SIGTERM, and waits until it has. */
  terminate(): Promise<void>;
  /** Sends it a signal, and does not wait. */
  signal(signal: NodeJS.Signals): void;
  /** Settles when it has ended. */
  ended(): Promise<ProcessEnd>;
  /** Body of a page on its HTTP listener; throws unless it answers 200. */
  get(path: string): Promise<string>;
  syncRows(): Promise<readonly SyncRow[]>;
  /** Sum over the series of a metric family that have these labels; default: all of them. */
  metric(family: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  /** Last lines of its log. */
  logLines(): readonly string[];
  /** The last log lines. */
  tail(lines?: number): string;
}

export interface DiscoveryOptions {
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** More flags of the discovery command. */
  readonly flags?: readonly string[];
  /** Folder for its files, which is kept; default: a temporary folder that close() removes. */
  readonly folder?: string;
  /** Default 15010, 8080, 15014, 15016, 15012. */
  readonly ports?: DiscoveryPorts;
  /** An address of the router for its gRPC ports; default: the router's own. */
  readonly address?: string;
  /** Another instance, whose files this one reads too. */
  readonly beside?: Discovery;
}

/** Prepares a server with an empty mesh in folders of its own; start() runs it. The rig's end ends it. */
export async function createDiscovery(
  rig: Rig,
  { env = {}, flags = [], folder: chosenFolder, ports = USUAL_PORTS, address, beside }: DiscoveryOptions = {},
): Promise<Discovery> {
  const adsAddress: AdsAddress = { address: address ?? rig.network.router.address, port: ports.grpc };
  const httpAddress = `127.0.0.1:${ports.http}`;
  const folder = chosenFolder ?? (await mkdtemp(join(tmpdir(), 'navigator-discovery-')));
  if (chosenFolder === undefined) rig.defer(() => rm(folder, { recursive: true, force: true }));
  const configFolder = beside?.configFolder ?? (await createConfigFolder(join(folder, 'mesh')));
  const meshConfigFile = beside?.meshConfigFile ?? join(folder, 'mesh-config.yaml');
  if (beside === undefined) await writeFile(meshConfigFile, '{}\n');
  const policyConfigFile = beside?.policyConfigFile ?? join(folder, 'policy-config.yaml');
  const command = rig.network.router.enter([
    ...[process.execPath, programFile('navigator-discovery'), 'discovery'],
    ...['--configDir', configFolder.path, '--meshConfig', meshConfigFile],
    ...['--grpcAddr', `${adsAddress.address}:${adsAddress.port}`],
    ...['--httpAddr', httpAddress, '--monitoringAddr', `127.0.0.1:${ports.monitoring}`],
    ...['--policyAddr', `${adsAddress.address}:${ports.policy}`, '--policyConfig', policyConfigFile],
    ...['--secureGRPCAddr', `${adsAddress.address}:${ports.secureGrpc}`],
    ...flags,
  ]);
  let server: ManagedProcess | undefined;
  rig.defer(async () => server?.stop());

  const tail: Discovery['tail'] = (lines) => server?.tail(lines) ?? 'it was not started';
  const get: Discovery['get'] = async (path) => {
    const { status, body } = await rig.routerAgent.request(`http://${httpAddress}${path}`);
    if (status !== 200) throw new Error(`discovery: ${path} answered ${status}: ${body}`);
    return body;
  };

  return {
    configFolder,
    adsAddress,
    get,
    tail,
    meshConfigFile,
    policyConfigFile,
    logLines: () => server?.lines ?? [],
    async writePolicyConfig(text) {
      await writeWhole(policyConfigFile, text);
    },
    writeMeshConfig: (text) => writeWhole(meshConfigFile, text),
    async start() {
      const started = startManagedProcess({
        name: 'discovery',
        command,
        env: { NAV_METRICS_MIN_INTERVAL: '0s', NAV_ENABLE_ANALYSIS: 'true', DNS_ADDR: '127.0.0.1:0', ...env },
      });
      server = started;
      await eventually('discovery is ready', async () => {
        if (!started.isRunning()) return true;
        await get('/ready');
        return true;
      }).catch((cause: unknown) => {
        throw new Error(`discovery does not become ready: ${started.tail()}`, { cause });
      });
      if (!started.isRunning()) throw new Error(`discovery ended before it was ready: ${started.tail()}`);
    },
    async kill() {
      await server?.stop('SIGKILL');
    },
    async terminate() {
      await server?.stop('SIGTERM', TERMINATION_GRACE_MS);
    },
    signal: (signal) => void server?.child.kill(signal),
    async ended() {
      if (server === undefined) throw new Error('discovery was not started');
      return server.exited;
    },
    syncRows: async () => JSON.parse(await get('/debug/syncz')) as SyncRow[],
    metric: async (family, labels) => sumOfSeries(await get('/metrics'), family, labels),
  };
}
