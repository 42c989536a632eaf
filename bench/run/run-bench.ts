import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { BenchOptions } from '../cli/bench-options.js';
import { Fleet, type FleetProgress } from '../client/fleet.js';
import { buildSidecarIdentities } from '../client/sidecar-identity.js';
import { startEmptyCluster } from '../kubernetes/made-cluster.js';
import { requireTestcluster } from '../kubernetes/require-testcluster.js';
import { buildEndpointChanges, buildRouteChanges, buildServiceChanges } from '../mesh/mesh-change.js';
import { meshFiles, writeMeshFolder } from '../mesh/mesh-folder.js';
import { buildMeshServices, countTcpServices, type MeshService } from '../mesh/mesh-shape.js';
import { routedServices } from '../mesh/routing-yaml.js';
import { startDiscoveryOn } from '../subject/discovery-process.js';
import { startFloorProcess } from '../subject/floor-process.js';
import type { DiscoveryProcessOptions } from '../subject/launch-discovery.js';
import { MeshClusterChanges, meshObjects } from '../subject/mesh-cluster-changes.js';
import { MeshFolderChanges } from '../subject/mesh-folder-changes.js';
import type { OwnedProcesses } from '../subject/owned-process.js';
import { isWarmUp, type StartSubject, type Step, type Subject } from '../subject/subject.js';
import { connectTarget } from '../subject/target-server.js';
import type { Cleanup } from './cleanup.js';
import { measureSubject } from './measure-subject.js';
import type { SubjectResult } from './phase-result.js';
import { planSteps } from './run-plan.js';

export interface BenchRun {
  readonly server: SubjectResult;
  readonly floor: SubjectResult | undefined;
}

export interface RunContext {
  readonly cleanup: Cleanup;
  readonly processes: OwnedProcesses;
  readonly progress: (what: string, progress: FleetProgress | undefined) => void;
}

/** Measures the server, then the floor with the recorded messages of the server and the same clients. */
export async function runBench(options: BenchOptions, context: RunContext): Promise<BenchRun> {
  const services = buildMeshServices(options.size);
  // The storms continue where the endpoint changes end: both change the same service.
  const { repeat, warmUp } = options;
  const endpointRepeats = options.phases.includes('endpoint') ? warmUp + repeat : 0;
  const stormRepeats = options.phases.includes('storm') ? options.repeat : 0;
  const endpointChanges = buildEndpointChanges(services, endpointRepeats + stormRepeats);
  // Each service change takes another TCP service, of which a small mesh has few.
  const serviceRepeats = Math.min(warmUp + repeat, countTcpServices(options.size.services));
  const changes = {
    endpoint: endpointChanges.slice(0, endpointRepeats),
    storm: endpointChanges.slice(endpointRepeats),
    service: options.phases.includes('service') ? buildServiceChanges(services, serviceRepeats) : [],
    route: options.phases.includes('route')
      ? buildRouteChanges(routedServices(services, options.size.routed), warmUp + repeat)
      : [],
  };
  const steps = planSteps(options.phases, repeat, changes);
  const start = await prepareSubject(options, context, services);
  const { onDemand } = options;
  const clients = buildSidecarIdentities(services, options.clients + (onDemand ? 1 : 0), onDemand);
  const fleet = new Fleet(clients, options.workers, {
    variant: options.protocol,
    onDemand,
    hasStorm: options.phases.includes('storm'),
  });
  context.cleanup.add(() => fleet.stop());

  const { timeoutMs } = options;
  const progress = context.progress;
  const label = options.target === undefined ? 'server' : 'target';
  // The first sync compiles the code of the clients. An uncounted sync keeps that out of the times of the server,
  // because the floor runs with compiled clients.
  const firstSync = planSteps(['first-sync'], 1, {});
  await measureSubject({ label: 'warm-up', start, fleet, steps: firstSync, timeoutMs, progress });
  const server = await measureSubject({ label, start, fleet, steps, timeoutMs, progress });
  if (!options.floor) return { server: counted(server), floor: undefined };

  const recordings = new Map(server.steps.map(({ step, recording }) => [step, recording]));
  const recordingOf = (step: Step) => recordings.get(step) ?? { clients: [], templates: [] };
  const startFloor = () => startFloorProcess(context.processes, recordingOf);
  // In a storm the first message of one client is a later one of another, which the recording does not tell apart.
  const floorSteps = steps.filter(({ phase }) => phase !== 'storm');
  const floor = await measureSubject({
    ...{ label: 'floor', start: startFloor, fleet, timeoutMs, progress },
    steps: floorSteps,
  });
  return { server: counted(server), floor: counted(floor) };
}

function counted(result: SubjectResult): SubjectResult {
  return { ...result, steps: result.steps.filter(({ step }) => !isWarmUp(step)) };
}

/** Where the server reads the mesh. */
interface MeshSource {
  readonly launch: Pick<DiscoveryProcessOptions, 'meshFolder' | 'flags'>;
  readonly changes: Pick<Subject, 'prepare' | 'trigger'>;
}

async function startSource(
  { size, source }: BenchOptions,
  context: RunContext,
  services: readonly MeshService[],
  workFolder: string,
): Promise<MeshSource> {
  const files = meshFiles(services, size);
  context.progress('writing the mesh', undefined);
  if (source === 'kubernetes') {
    const cluster = await startEmptyCluster({ binary: requireTestcluster(), cleanup: context.cleanup });
    await cluster.client.applyAll(meshObjects(files));
    return { launch: { flags: ['--orchconfig', cluster.kubeconfig] }, changes: new MeshClusterChanges(cluster.client) };
  }
  const folders = { meshFolder: join(workFolder, 'mesh'), stagingFolder: join(workFolder, 'staging') };
  await writeMeshFolder(folders.meshFolder, files);
  return { launch: { meshFolder: folders.meshFolder }, changes: new MeshFolderChanges(folders) };
}

async function prepareSubject(
  options: BenchOptions,
  context: RunContext,
  services: readonly MeshService[],
): Promise<StartSubject> {
  const { target, meshDir } = options;
  if (target === undefined) {
    const workFolder = await createFolder(tmpdir(), context);
    const source = await startSource(options, context, services, workFolder);
    const { processes } = context;
    const { timeoutMs, profileFolder } = options;
    const nodeFlags = profileFolder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileFolder];
    const launch = { ...source.launch, workFolder, processes, timeoutMs, nodeFlags };
    return () => {
      context.progress('starting the server', undefined);
      return startDiscoveryOn(launch, source.changes);
    };
  }
  if (meshDir === undefined) return async () => connectTarget(target, undefined);
  const meshFolder = resolve(meshDir);
  // Beside the mesh folder, for a rename works only within one file system.
  const stagingFolder = await createFolder(dirname(meshFolder), context);
  const changes = new MeshFolderChanges({ meshFolder, stagingFolder });
  context.cleanup.add(() => changes.restore());
  return async () => connectTarget(target, changes);
}

async function createFolder(parent: string, context: RunContext): Promise<string> {
  const folder = await mkdtemp(join(parent, 'navigator-bench-'));
  context.cleanup.add(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
