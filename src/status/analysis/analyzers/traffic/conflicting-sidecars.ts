import { keyOf, type MeshObject } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import { otherThan } from '../../traffic/traffic-index.js';
import type { SidecarPart } from '../../traffic/traffic-specs.js';

/** Sidecars that select a workload that another Sidecar selects too. */
export const sharedWorkloads: ObjectAnalyzer = {
  kinds: ['Sidecar'],
  find: (object, { sidecarsOf, workloads }) => {
    const { namespace } = object.metadata;
    const wanted = labelsOf(object);
    if (wanted.length === 0) return [];
    const others = otherThan(object, sidecarsOf(namespace)).filter((other) => labelsOf(other).length > 0);
    if (others.length === 0) return [];
    const mine = new Set(workloads.selected(namespace, wanted));
    for (const other of others) {
      const shared = workloads.selected(namespace, labelsOf(other)).find((group) => mine.has(group));
      if (shared === undefined) continue;
      const where = { object: keyOf(object), field: 'spec.workloadSelector.labels' };
      return [createMessage('sidecarsOfOneWorkload', where, `${keyOf(other)} selects the workload ${shared.name} too`)];
    }
    return [];
  },
};

/** Sidecars without a selector, of which a namespace should have one. */
export const severalDefaults: ObjectAnalyzer = {
  kinds: ['Sidecar'],
  find: (object, { sidecarsOf }) => {
    const { namespace } = object.metadata;
    if (labelsOf(object).length > 0) return [];
    const [other] = otherThan(object, sidecarsOf(namespace)).filter((each) => labelsOf(each).length === 0);
    if (other === undefined) return [];
    const text = `${keyOf(other)} selects all workloads of namespace ${namespace} too`;
    return [createMessage('sidecarsWithoutSelector', { object: keyOf(object) }, text)];
  },
};

function labelsOf({ body }: MeshObject): readonly (readonly [string, string])[] {
  return Object.entries((body as SidecarPart).workloadSelector?.labels ?? {});
}
