import type { MeshObject } from '../../config/object.js';
import type { WorkloadSelector } from '../../config/security/workload-selector.js';
import { compareAge, compareText } from '../service-order.js';

/** PeerAuthentications of one level by precedence: the oldest first, then by name. */
export function peerAuthenticationsOldestFirst(objects: Iterable<MeshObject>): readonly MeshObject[] {
  return [...objects].sort(
    ({ metadata: first }, { metadata: second }) =>
      compareAge(first.creationTimestamp ?? '', second.creationTimestamp ?? '') || compareText(first.name, second.name),
  );
}

/** Labels that select workloads, sorted by key; empty for every workload. */
export function selectedLabels({
  selector,
}: {
  readonly selector?: WorkloadSelector | undefined;
}): readonly (readonly [key: string, value: string])[] {
  return Object.entries(selector?.matchLabels ?? {}).sort(([first], [second]) => compareText(first, second));
}
