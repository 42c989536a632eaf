import type { ResourceDiff, ResourceSet } from '../envoy/resource-set.js';
import type { NameSet } from './name-set.js';

/** Resources of a delta response that have not changed. */
export interface Repeated {
  /** Names that the proxy asked for: it gets the resource, or learns that there is none. */
  readonly asked: NameSet | undefined;
  /** Changed clusters: Envoy uses none of them before it gets their endpoints, changed or not. */
  readonly warming: ResourceDiff | undefined;
}

/**
 * The content of a delta response: the difference, the repeated resources, and as removed the names that do not exist.
 * No name is twice in it.
 *
 * @param to the resources that the proxy has after the response
 */
export function deltaChange(diff: ResourceDiff, to: ResourceSet, { asked, warming }: Repeated): ResourceDiff {
  const names = new Set(asked?.names);
  for (const { name, assignment } of warming?.changed ?? []) names.add(assignment ?? name);
  if (names.size === 0) return diff;
  for (const { name } of diff.changed) names.add(name);
  const changed = to.resources.filter(({ name }) => names.has(name));
  const unknown = new Set(asked?.names);
  for (const { name } of changed) unknown.delete(name);
  for (const name of diff.removed) unknown.add(name);
  return { changed, removed: [...unknown] };
}

/** The changed resources of two responses in a row. */
export function joinChanged(first: ResourceDiff, second: ResourceDiff): ResourceDiff {
  const names = new Set(second.changed.map(({ name }) => name));
  return { changed: [...first.changed.filter(({ name }) => !names.has(name)), ...second.changed], removed: [] };
}
