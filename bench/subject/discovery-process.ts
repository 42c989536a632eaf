import { readLongestBlockMs } from '../measure/longest-block.js';
import { type DiscoveryProcessOptions, launchDiscovery } from './launch-discovery.js';
import { MeshFolderChanges, type MeshFolders } from './mesh-folder-changes.js';
import type { Subject } from './subject.js';

/** Starts the discovery server on a mesh folder that the change phases may change. */
export function startDiscoveryProcess(options: DiscoveryProcessOptions & MeshFolders): Promise<Subject> {
  return startDiscoveryOn(options, new MeshFolderChanges(options));
}

/** Starts the discovery server on the source that its options name. */
export async function startDiscoveryOn(
  options: DiscoveryProcessOptions,
  changes: Pick<Subject, 'prepare' | 'trigger'>,
): Promise<Subject> {
  const { grpcPort, monitoringPort, ...server } = await launchDiscovery(options);
  return {
    ...server,
    address: `127.0.0.1:${grpcPort}`,
    prepare: (step) => changes.prepare(step),
    trigger: () => changes.trigger(),
    longestBlockMs: () => readLongestBlockMs(monitoringPort),
  };
}
