import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchError } from '../cli/bench-error.js';
import type { RunParts } from '../cli/supervised-run.js';
import { Fleet } from '../client/fleet.js';
import { buildSidecarIdentities } from '../client/sidecar-identity.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { readProcessUsage } from '../measure/process-usage.js';
import { meshFiles, writeMeshFolder } from '../mesh/mesh-folder.js';
import { buildMeshServices, type MeshContent, type MeshService } from '../mesh/mesh-shape.js';
import { routedServices } from '../mesh/routing-yaml.js';
import { awaitPhase } from '../run/await-phase.js';
import { type DiscoveryProcess, launchDiscovery } from '../subject/launch-discovery.js';
import { countFileDescriptors, probeHeap, readLiveHeap } from './live-heap.js';
import { createMeshChurn } from './mesh-churn.js';
import { PassingClients } from './passing-clients.js';
import { countConnected, findErrors } from './server-state.js';
import type { SoakResult, SoakSample } from './soak-result.js';

export interface SoakOptions {
  readonly size: MeshContent;
  /** Clients that stay: two fifths state of the world, two fifths delta, the others on demand. */
  readonly clients: number;
  readonly seconds: number;
  /** Changes of the mesh, and clients that come and vanish, per second. */
  readonly perSecond: number;
  /** Time between two quiet moments. */
  readonly sampleSeconds: number;
  readonly timeoutMs: number;
  /** Folder for heap snapshots of the server, one after a third of the time and one at the end. */
  readonly snapshotFolder: string | undefined;
}

/** Policies charge it. */
const POLICY_CONFIG = JSON.stringify({ quotas: [{ name: 'calls', maxAmount: 100, validDuration: '1m' }] });
/** A server is quiet when it has sent nothing for so long. */
const QUIET_MS = 700;
const SNAPSHOT_SIGNAL = 'SIGUSR2';
/** A client that polled once counts as connected for so long. */
const REST_LEASE = '1s';

/** Changes a mesh and lets clients come and go, and looks at the server's memory in quiet moments between. */
export async function measureSoak(options: SoakOptions, parts: RunParts): Promise<SoakResult> {
  const { size, seconds, perSecond, sampleSeconds, timeoutMs } = options;
  const { processes, cleanup, progress } = parts;
  const workFolder = await parts.createWorkFolder();
  const folders = { meshFolder: join(workFolder, 'mesh'), stagingFolder: join(workFolder, 'staging') };
  const services = buildMeshServices(size);
  const routed = routedServices(services, size.routed);
  await writeMeshFolder(folders.meshFolder, meshFiles(services, size));
  progress('starting the server');
  const socketPath = join(workFolder, 'heap');
  const probed = probeHeap(socketPath);
  const policyConfig = join(workFolder, 'policy.yaml');
  await writeFile(policyConfig, POLICY_CONFIG);
  const server = await launchDiscovery({
    ...{
      processes,
      workFolder,
      timeoutMs,
      meshFolder: folders.meshFolder,
      nodeFlags: [...probed.nodeFlags, ...snapshotFlags(options)],
    },
    flags: ['--policyConfig', policyConfig, '--log_as_json'],
    env: { ...probed.env, NAV_XDS_REST_LEASE: REST_LEASE, NAV_METRICS_MIN_INTERVAL: '0s' },
  });
  const fleets = createFleets(options, services);
  for (const fleet of fleets) cleanup.add(() => fleet.stop());
  for (const fleet of fleets) await connect(fleet, server, timeoutMs, progress);

  const passing = new PassingClients({
    services,
    grpcAddress: `127.0.0.1:${server.grpcPort}`,
    httpAddress: `127.0.0.1:${server.httpPort}`,
  });
  const churn = createMeshChurn(folders, services, routed);
  const failed = Promise.race([server.failed, ...fleets.map((fleet) => fleet.failed)]);
  failed.catch(() => undefined);
  const connected = await countConnected(server);
  const sample = async (): Promise<SoakSample> => {
    await Promise.all([churn.settle(), passing.settle()]);
    await untilQuiet(server, fleets, connected, timeoutMs);
    const { pid = 0 } = server;
    const heap = await readLiveHeap(socketPath);
    const usage = await readProcessUsage(pid);
    // After the answer, so that the connection of the probe has ended.
    const fileDescriptors = await countFileDescriptors(pid);
    return { atMs: monotonicMs(), ...heap, residentBytes: usage?.residentBytes ?? Number.NaN, fileDescriptors };
  };

  const samples = [await sample()];
  const startedAtMs = monotonicMs();
  let changes = 0;
  let snapshots = 0;
  while (monotonicMs() - startedAtMs < seconds * 1000) {
    const until = monotonicMs() + sampleSeconds * 1000;
    while (monotonicMs() < until) {
      const nextAtMs = monotonicMs() + 1000 / perSecond;
      await churn.next();
      changes += 1;
      passing.next();
      await Promise.race([delay(Math.max(0, nextAtMs - monotonicMs())), failed]);
    }
    // Their arrivals are of no interest, and would fill the memory of the bench.
    for (const fleet of fleets) await fleet.collect();
    samples.push(await Promise.race([sample(), failed]));
    const elapsedSeconds = (monotonicMs() - startedAtMs) / 1000;
    if (options.snapshotFolder !== undefined && elapsedSeconds > (seconds / 3) * (1 + 2 * snapshots)) {
      snapshots += 1;
      process.kill(server.pid ?? 0, SNAPSHOT_SIGNAL);
    }
    progress(describeProgress(elapsedSeconds, seconds, samples.at(-1)));
  }
  const receivedBytes = fleets.reduce((total, fleet) => total + fleet.progress().receivedBytes, 0);
  const usage = server.pid === undefined ? undefined : await readProcessUsage(server.pid);
  const errors = [...passing.failures, ...(await findErrors(server))];
  for (const fleet of fleets) await fleet.disarm();
  await server.stop();
  return {
    ...{ seconds: (monotonicMs() - startedAtMs) / 1000, changes, passingClients: passing.count, receivedBytes },
    ...{ cpuSeconds: usage?.cpuSeconds ?? Number.NaN, samples, errors },
  };
}

/** Lets the server write a heap snapshot when it gets the signal. */
function snapshotFlags({ snapshotFolder }: SoakOptions): readonly string[] {
  return snapshotFolder === undefined
    ? []
    : [`--heapsnapshot-signal=${SNAPSHOT_SIGNAL}`, `--diagnostic-dir=${snapshotFolder}`];
}

function createFleets({ clients }: SoakOptions, services: readonly MeshService[]): readonly Fleet[] {
  const few = Math.ceil((clients * 2) / 5);
  const eager = buildSidecarIdentities(services, clients);
  return [
    new Fleet(eager.slice(0, few), 1),
    new Fleet(eager.slice(few, 2 * few), 1, { variant: 'delta' }),
    new Fleet(buildSidecarIdentities(services, clients, true).slice(2 * few), 1, { variant: 'delta' }),
  ];
}

async function connect(
  fleet: Fleet,
  { grpcPort, failed }: DiscoveryProcess,
  timeoutMs: number,
  progress: (what: string) => void,
): Promise<void> {
  await fleet.arm(`127.0.0.1:${grpcPort}`);
  await fleet.begin({ kind: 'sync' });
  await fleet.go();
  const what = 'the clients that stay to have everything';
  await awaitPhase(fleet, failed, { what, timeoutMs, progress: () => progress(`waiting for ${what}`) });
  // Its messages are not recorded.
  await fleet.begin({ kind: 'churn' });
}

/** Waits until the clients that came and vanished are forgotten, and everything is sent. */
async function untilQuiet(
  server: DiscoveryProcess,
  fleets: readonly Fleet[],
  connected: number,
  timeoutMs: number,
): Promise<void> {
  const deadlineMs = monotonicMs() + timeoutMs;
  for (let quietMs = 0; quietMs < QUIET_MS; ) {
    await delay(100);
    const now = await countConnected(server);
    const lastMessageAtMs = Math.max(...fleets.map((fleet) => fleet.progress().lastMessageAtMs));
    quietMs = now === connected ? monotonicMs() - lastMessageAtMs : 0;
    if (monotonicMs() > deadlineMs) {
      throw new BenchError(
        'timed-out',
        `Waited ${timeoutMs / 1000} s for a quiet moment: ${now} clients are connected, ${connected} should be.`,
      );
    }
  }
}

function describeProgress(seconds: number, of: number, sample: SoakSample | undefined): string {
  const bytes = (sample?.heapBytes ?? 0) + (sample?.externalBytes ?? 0);
  return `${Math.round(seconds)} of ${of} s: ${(bytes / 1024 ** 2).toFixed(1)} MiB in use, ${sample?.fileDescriptors} file descriptors`;
}
