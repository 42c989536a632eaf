import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiServer } from '../../test/counterparts/kubernetes/api-server.js';
import { Fleet } from '../client/fleet.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { readProcessUsage } from '../measure/process-usage.js';
import { awaitPhase } from '../run/await-phase.js';
import type { Cleanup } from '../run/cleanup.js';
import { type DiscoveryProcess, launchDiscovery } from '../subject/launch-discovery.js';
import type { OwnedProcesses } from '../subject/owned-process.js';
import { buildClusterShape, buildPodIdentities, type ClusterShape, type ClusterSize } from './cluster-shape.js';
import type { KubernetesResult, StartResult, SyncResult } from './kubernetes-result.js';
import { startMadeCluster } from './made-cluster.js';
import { measureChurn } from './measure-churn.js';
import { startWatchFloor, type WatchFloorProcess } from './watch-floor-process.js';

export interface KubernetesOptions {
  readonly size: ClusterSize;
  readonly clients: number;
  readonly workers: number;
  /** Starts of the server, and of the floor; the last ones are used for the rest. */
  readonly starts: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** NAV_DEBOUNCE_MAX. */
  readonly debounceMaxMs: number;
  /** Upper bound of each single wait. */
  readonly timeoutMs: number;
  /** Folder for CPU profiles of the server, one for each start. */
  readonly profileFolder: string | undefined;
}

export interface KubernetesContext {
  /** The testcluster binary. */
  readonly binary: string;
  /** Where made clusters are kept. */
  readonly keptFolder: string;
  readonly processes: OwnedProcesses;
  readonly cleanup: Cleanup;
  readonly progress: (what: string) => void;
}

/** Starts floor and server on a made cluster, lets the clients sync, and changes endpoints. */
export async function runKubernetes(options: KubernetesOptions, context: KubernetesContext): Promise<KubernetesResult> {
  const { size, clients, starts } = options;
  const shape = buildClusterShape(size);
  const api = await startMadeCluster({ ...context, size });
  const workFolder = await mkdtemp(join(tmpdir(), 'navigator-bench-'));
  context.cleanup.add(() => rm(workFolder, { recursive: true, force: true }));
  context.cleanup.add(() => context.processes.endAll());

  const floorArrivals: number[] = [];
  const results: StartResult[] = [];
  let floor: WatchFloorProcess | undefined;
  let server: DiscoveryProcess | undefined;
  for (let start = 1; start <= starts; start++) {
    await Promise.all([floor?.stop(), server?.stop()]);
    context.progress(`start ${start} of ${starts}: floor`);
    const target = { server: api.url, token: api.adminToken, ca: api.ca().toString() };
    floor = await startWatchFloor(target, context.processes, (arrivals) => floorArrivals.push(...arrivals));
    context.progress(`start ${start} of ${starts}: server`);
    server = await startServer(options, context, api, workFolder);
    results.push(await startResult(server, floor));
  }
  if (floor === undefined || server?.pid === undefined) throw new RangeError('A run has at least one start.');

  const fleet = new Fleet(buildPodIdentities(shape, clients), options.workers);
  context.cleanup.add(() => fleet.stop());
  const sync = await measureSync(options, server, fleet, context);
  const { pid, failed } = server;
  const churn = await measureChurn({
    ...options,
    send: api.client.send,
    services: churnedServices(shape),
    fleet,
    pid,
    floorArrivals,
    failed,
    progress: context.progress,
  });
  const peakResidentBytes = (await readProcessUsage(pid))?.peakResidentBytes ?? 0;
  await fleet.disarm();
  // A profile is written as the process ends.
  await server.stop();
  const { objects, bytes: listedBytes } = floor;
  return { objects, listedBytes, starts: results, sync, churn, peakResidentBytes };
}

/** Endpoints of headless services are in listeners, and their changes no endpoint updates. */
function churnedServices({ services }: ClusterShape): ClusterShape['services'] {
  return services.filter(({ kind }) => kind !== 'headless');
}

async function startServer(
  { debounceMaxMs, timeoutMs, profileFolder }: KubernetesOptions,
  { processes }: KubernetesContext,
  api: ApiServer,
  workFolder: string,
): Promise<DiscoveryProcess> {
  return await launchDiscovery({
    processes,
    workFolder,
    timeoutMs,
    flags: ['--orchconfig', api.kubeconfig],
    env: { NAV_DEBOUNCE_MAX: `${debounceMaxMs}ms` },
    nodeFlags: profileFolder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileFolder],
  });
}

async function startResult(server: DiscoveryProcess, floor: WatchFloorProcess): Promise<StartResult> {
  const usage = server.pid === undefined ? undefined : await readProcessUsage(server.pid);
  return {
    readyMs: server.readyMs,
    residentBytes: usage?.residentBytes ?? 0,
    peakResidentBytes: usage?.peakResidentBytes ?? 0,
    floorMs: floor.listedMs,
    floorPeakBytes: floor.usage?.peakResidentBytes ?? 0,
  };
}

async function measureSync(
  { timeoutMs, clients }: KubernetesOptions,
  { grpcPort, pid = 0, failed }: DiscoveryProcess,
  fleet: Fleet,
  { progress }: KubernetesContext,
): Promise<SyncResult> {
  const what = `first sync of ${clients} clients`;
  await fleet.arm(`127.0.0.1:${grpcPort}`);
  await fleet.begin({ kind: 'sync' });
  const startedAtMs = monotonicMs();
  await fleet.go();
  await awaitPhase(fleet, failed, { what, timeoutMs, progress: ({ completed }) => progress(`${what}: ${completed}`) });
  const usage = await readProcessUsage(pid);
  const { completedAtMs, receivedBytes } = await fleet.collect();
  return {
    clientMs: completedAtMs.map((atMs) => atMs - startedAtMs),
    receivedBytes,
    residentBytes: usage?.residentBytes ?? 0,
  };
}
