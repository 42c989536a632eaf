import type { ObjectKey } from '../../config/object.js';
import type { ObjectChange } from '../../model/object-change.js';
import { type FileProblem, formatLocation } from './file-report.js';
import type { LocatedObject } from './read-documents.js';

/** The folder as one state: each key once, and the duplicates that were left out. */
export interface MergedFiles {
  readonly served: ReadonlyMap<ObjectKey, LocatedObject>;
  readonly duplicates: readonly FileProblem[];
}

/**
 * Merges files that are sorted by path. Of several objects with one key, the first is served; after it is removed, the
 * second.
 */
export function mergeFiles(files: Iterable<readonly LocatedObject[]>): MergedFiles {
  const served = new Map<ObjectKey, LocatedObject>();
  const duplicates: FileProblem[] = [];
  for (const objects of files) {
    for (const object of objects) {
      const first = served.get(object.key);
      if (first === undefined) served.set(object.key, object);
      else duplicates.push(duplicateOf(first, object));
    }
  }
  return { served, duplicates };
}

function duplicateOf(first: LocatedObject, second: LocatedObject): FileProblem {
  const places = `${formatLocation(second.location)} defines it again; ${formatLocation(first.location)} is served`;
  return { ...second.location, key: second.key, reason: `${second.key}: ${places}; remove or rename one of them` };
}

/** The changes from one state to the other: deletions first, and no change for an equal object. */
export function diffObjects(
  before: ReadonlyMap<ObjectKey, LocatedObject>,
  after: ReadonlyMap<ObjectKey, LocatedObject>,
): readonly ObjectChange[] {
  const changes: ObjectChange[] = [];
  for (const [key, { object }] of before) {
    if (after.has(key)) continue;
    const { kind, metadata } = object;
    changes.push({ type: 'delete', kind, namespace: metadata.namespace, name: metadata.name });
  }
  for (const [key, { object }] of after) {
    const old = before.get(key)?.object;
    if (old === object || old?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
    changes.push({ type: 'upsert', object });
  }
  return changes;
}
