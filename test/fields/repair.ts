import { isRecord } from '../../src/base/record.js';
import type { ReadResult } from '../../src/config/read-object.js';

const MAX_ROUNDS = 30;

/**
 * Removes the fields that admission complains of, until it accepts the object. Undefined for an object that does not
 * become valid: a required field is missing, for example.
 */
export function repair(
  object: Readonly<Record<string, unknown>>,
  read: (object: unknown) => ReadResult,
): Readonly<Record<string, unknown>> | undefined {
  const repaired = structuredClone(object) as Record<string, unknown>;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const result = read(repaired);
    if (result.type !== 'invalid') return result.type === 'unknown' ? undefined : repaired;
    // The last one first: removing an item of a list moves the ones behind it.
    for (const { path } of result.violations.toReversed()) removeAt(repaired, stepsOf(path));
  }
  return undefined;
}

/** `spec.http[0].match["a.b"].uri` as its steps. */
function stepsOf(path: string): readonly string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? '',
  );
}

function removeAt(root: unknown, steps: readonly string[]): void {
  if (steps.length === 0) return;
  let parent: unknown = root;
  let owner: unknown = root;
  let ownStep = '';
  for (const step of steps) {
    owner = parent;
    ownStep = step;
    const next = Array.isArray(parent) ? parent[Number(step)] : isRecord(parent) ? parent[step] : undefined;
    // The path goes on below a value that is not there: the object around it is at fault.
    if (next === undefined) break;
    parent = next;
  }
  if (Array.isArray(owner)) owner.splice(Number(ownStep), 1);
  else if (isRecord(owner) && ownStep in owner) delete (owner as Record<string, unknown>)[ownStep];
  else removeAt(root, steps.slice(0, -1));
}
