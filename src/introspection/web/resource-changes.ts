import { redactSecrets } from '../../base/redact-secrets.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageJson } from '../../envoy/message-json.js';
import { compareText } from '../order.js';
import type { ResourceState } from '../views.js';
import { type DiffLine, diffLines } from './line-diff.js';

/** The difference between the resources that a proxy has and those of the newest response. */
export interface ResourceChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** The first of them, by name. */
  readonly shown: readonly ChangedResource[];
}

export interface ChangedResource {
  readonly name: string;
  readonly type: 'added' | 'changed' | 'removed';
  /** Undefined for a resource that is too large to be compared. */
  readonly lines: readonly DiffLine[] | undefined;
}

/** Resources that a page compares. */
const MAX_SHOWN = 20;
const MAX_BYTES = 256 * 1024;

/** @returns undefined if the proxy has answered everything, or its resources are not known */
export function resourceChanges(
  { accepted = [], offered }: ResourceState,
  json: MessageJson,
): ResourceChanges | undefined {
  if (offered === undefined) return undefined;
  const before = new Map(accepted.map((resource) => [resource.name, resource]));
  const after = new Map(offered.map((resource) => [resource.name, resource]));
  const all = [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, old: before.get(name), now: after.get(name) }))
    .filter(({ old, now }) => old?.version !== now?.version)
    .toSorted((first, second) => compareText(first.name, second.name))
    .map(({ name, old, now }) => ({ name, old, now, type: typeOf(old, now) }));
  const count = (type: ChangedResource['type']): number => all.filter((each) => each.type === type).length;
  return {
    added: count('added'),
    changed: count('changed'),
    removed: count('removed'),
    shown: all.slice(0, MAX_SHOWN).map(({ name, type, old, now }) => ({
      name,
      type,
      lines: isLarge(old) || isLarge(now) ? undefined : diffLines(textOf(old, json), textOf(now, json)),
    })),
  };
}

function typeOf(old: EncodedResource | undefined, now: EncodedResource | undefined): ChangedResource['type'] {
  if (old === undefined) return 'added';
  return now === undefined ? 'removed' : 'changed';
}

function isLarge(resource: EncodedResource | undefined): boolean {
  return (resource?.entry.length ?? 0) > MAX_BYTES;
}

function textOf(resource: EncodedResource | undefined, json: MessageJson): string {
  return resource === undefined ? '' : JSON.stringify(json.resourceToJson(resource), redactSecrets, 2);
}
