import type { MeshFolderChanges } from './mesh-folder-changes.js';
import type { Subject } from './subject.js';

/** An external server, which the benchmark neither starts, stops nor inspects. */
export function connectTarget(address: string, changes: MeshFolderChanges | undefined): Subject {
  return {
    address,
    pid: undefined,
    readyMs: undefined,
    failed: new Promise<never>(() => {}),
    prepare: async (step) => changes?.prepare(step),
    trigger: async () => changes?.trigger(),
    stop: async () => {},
  };
}
