import type { Static } from 'typebox';
import * as Type from 'typebox';
import { validateLabels } from '../read-metadata.js';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { childPath, type Violation } from '../violation.js';

const MAX_LABELS = 256;

/** Selects workloads of the object's namespace, in the root namespace of the whole mesh. */
export const workloadSelectorSchema = Type.Object(
  {
    matchLabels: stringMap(Type.String({ maxLength: 63 }), {
      description: 'Labels. A workload must have all of them.',
      default: {},
      maxProperties: MAX_LABELS,
    }),
  },
  { additionalProperties: false, description: 'Selects workloads of the same namespace by label.' },
);

export type WorkloadSelector = Immutable<Static<typeof workloadSelectorSchema>>;

/** Labels take no wildcards: a label with "*" would select no workload. */
export function validateWorkloadSelector(selector: WorkloadSelector | undefined): readonly Violation[] {
  if (selector === undefined) return [];
  const path = 'selector.matchLabels';
  return Object.entries(selector.matchLabels).flatMap(([key, value]) => {
    const wildcard = [key, value].find((text) => text.includes('*'));
    if (wildcard === undefined) return validateLabels({ [key]: value }, path);
    return [
      {
        path: childPath(path, key),
        value,
        message: `has "*" in its ${wildcard === key ? 'key' : 'value'}, but labels take no wildcards`,
        remedy: 'write the label as the workloads have it, or remove the selector to select all workloads',
      },
    ];
  });
}
