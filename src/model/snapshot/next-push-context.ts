import type { PushContext } from '../push-context.js';
import type { MeshStore } from '../store/mesh-store.js';
import { targetsOfProxy } from './workload-targets.js';

/**
 * The next snapshot of the mesh. Whatever did not change since the previous one is the very same object:
 * services, endpoints, views, lists and maps.
 *
 * @param previous undefined for the first
 * @param now wall-clock time, for the version
 */
export function nextPushContext(previous: PushContext | undefined, store: MeshStore, now: Date): PushContext {
  const { views, targets, interner, ...state } = store.state();
  const sequence = (previous?.sequence ?? 0) + 1;
  return {
    ...state,
    sequence,
    version: `${now.toISOString()}/${sequence}`,
    viewOf: (namespace) => views.viewOf(namespace),
    targetsOf: (proxy) => targetsOfProxy(proxy, targets, interner),
  };
}
