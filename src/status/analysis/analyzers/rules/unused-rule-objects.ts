import { keyOf, type MeshObject, type ObjectKey } from '../../../../config/object.js';
import { memoize } from '../../../../model/memo.js';
import { namesIn } from '../../../../model/policy/rules/names-in.js';
import { resolveReference } from '../../../../model/policy/rules/resolve-reference.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';

/** The objects that name each kind. */
const USERS: Readonly<Record<string, string>> = {
  handler: 'rule',
  instance: 'rule',
  adapter: 'handler',
  template: 'instance or adapter',
};

/** Handlers and instances that no rule names, adapters that no handler names, templates that no instance or adapter names. */
export const unusedRuleObjects: ObjectAnalyzer = {
  kinds: Object.keys(USERS),
  find: (object, index) =>
    isNamed(object, index)
      ? []
      : [
          createMessage(
            'unusedRuleObject',
            { object: keyOf(object) },
            `no ${USERS[object.kind]} names this ${object.kind}`,
          ),
        ],
};

/** Whether an object of the mesh names a handler, instance, adapter or template. */
export function isNamed(object: MeshObject, index: TrafficIndex): boolean {
  return usedObjects(index).has(keyOf(object));
}

/** Once for each index, which lives as long as an analysis. */
const usedObjects = memoize((index: TrafficIndex): ReadonlySet<ObjectKey> => {
  const used = new Set<ObjectKey>();
  for (const from of ['rule', 'handler', 'instance', 'adapter'].flatMap((kind) => [...index.objectsOf(kind)])) {
    for (const [kind, written] of namesIn(from)) used.add(resolveReference(index, from, kind, written).key);
  }
  return used;
});
