import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { keyOf } from '../../config/object.js';
import type { DerivedObjects } from '../derived/derived-objects.js';
import type { ChangeLog } from './change-log.js';
import type { ObjectTable } from './object-table.js';

/** Brings the derived objects up to date with the applied ones, and notes those that change. */
export function applyDerived(derived: DerivedObjects, objects: ObjectTable, mesh: MeshConfig, log: ChangeLog): void {
  const { set, deleted } = derived.update(() => ({ objects: objects.snapshot(), mesh }));
  for (const object of deleted) objects.deleteDerived(object);
  for (const object of set) objects.setDerived(object);
  for (const object of [...deleted, ...set]) log.note(object.kind, keyOf(object));
}
