import { readLongestBlockMs } from '../measure/longest-block.js';
import { type DiscoveryProcessOptions, launchDiscovery } from './launch-discovery.js';
import { MeshFolderChanges, type MeshFolders } from './mesh-folder-changes.js';
import type { Subject } from './subject.js';

/** Starts the discovery server on a mesh folder that the change phases may change. */
export async function startDiscoveryProcess(options: DiscoveryProcessOptions & MeshFolders): Promise<Subject> {
  const { grpcPort, monitoringPort, ...server } = await launchDiscovery(options);
  const changes = new MeshFolderChanges(options);
  return {
    ...server,
    address: `127.0.0.1:${grpcPort}`,
    prepare: (step) => changes.prepare(step),
    trigger: () => changes.trigger(),
    longestBlockMs: () => readLongestBlockMs(monitoringPort),
  };
}
