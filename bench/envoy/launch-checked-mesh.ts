import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyWorkload } from '../policy/workload.js';
import type { Cleanup } from '../run/cleanup.js';
import { launchDiscovery } from '../subject/launch-discovery.js';
import type { OwnedProcesses } from '../subject/owned-process.js';
import { startCheckFloorProcess } from './check-floor-process.js';
import { writeCheckedMesh } from './checked-mesh.js';

export interface LaunchOptions {
  readonly workload: PolicyWorkload;
  readonly processes: OwnedProcesses;
  readonly cleanup: Cleanup;
}

/** Upper bound of the start of each process. */
export const START_TIMEOUT_MS = 30_000;

/** Starts the policy server with the workload's policies, and beside it the bare servers that allow everything. */
export async function launchCheckedMesh({ workload, processes, cleanup }: LaunchOptions) {
  const workFolder = await mkdtemp(join(tmpdir(), 'navigator-bench-'));
  cleanup.add(() => rm(workFolder, { recursive: true, force: true }));
  cleanup.add(() => processes.endAll());
  const files = await writeCheckedMesh(workFolder, workload);
  const discovery = await launchDiscovery({
    processes,
    workFolder,
    meshFolder: files.meshFolder,
    flags: ['--meshConfig', files.meshConfigFile, '--policyConfig', files.policyConfigFile],
    timeoutMs: START_TIMEOUT_MS,
  });
  const floors = {
    grpc: await startCheckFloorProcess(processes, 'grpc'),
    http: await startCheckFloorProcess(processes, 'http'),
  };
  return { workFolder, discovery, floors };
}
