import type { QuotaSpecBinding } from '../../config/policy/bindings.js';
import type { AttributeMatchSpec, QuotaSpec } from '../../config/policy/quota-spec.js';
import type { PushContext } from '../push-context.js';
import type { QuotaSpecObject } from './policy-bindings.js';

/** Labels of a MeshService: workloads that carry all of them are meant. */
export type LabelSet = Readonly<Record<string, string>>;

/** The attribute that tells the labels of the workload behind an inbound check. */
export const LABELS_ATTRIBUTE = 'destination.labels';

const restricted = new WeakMap<QuotaSpec, Map<string, QuotaSpecObject>>();

/**
 * The spec with rules that match only where the checked workload carries one of the label sets: each condition is asked
 * for beside each set. The very same object for the same spec and sets, so that compiled forms are kept.
 */
export function restrictToLabels(spec: QuotaSpecObject, labelSets: readonly LabelSet[]): QuotaSpecObject {
  const id = JSON.stringify(labelSets);
  const known = restricted.get(spec.body) ?? new Map<string, QuotaSpecObject>();
  restricted.set(spec.body, known);
  const found = known.get(id);
  if (found !== undefined) return found;
  const clauses = labelSets.map(clauseOf);
  const rules = spec.body.rules.map((rule) => {
    const matches = rule.match.length === 0 ? [{ clause: {} }] : rule.match;
    return {
      ...rule,
      match: matches.flatMap(({ clause }) => clauses.map((labels) => ({ clause: { ...clause, ...labels } }))),
    };
  });
  const made = { ...spec, body: { ...spec.body, rules } };
  known.set(id, made);
  return made;
}

function clauseOf(labels: LabelSet): AttributeMatchSpec['clause'] {
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [
      `${LABELS_ATTRIBUTE}[${key}]`,
      // A label may be empty, which no exact match is written for.
      value === '' ? { regex: '(?:)' } : { exact: value },
    ]),
  );
}

type Table = ReturnType<PushContext['objects']['get']>;

const keysOf = new WeakMap<NonNullable<Table>, readonly string[]>();

/** The keys of labels that QuotaSpecBindings of a snapshot name, sorted: proxies tell these of their labels alone. */
export function bindingLabelKeys({ objects }: Pick<PushContext, 'objects'>): readonly string[] {
  const table = objects.get('QuotaSpecBinding');
  if (table === undefined) return [];
  let keys = keysOf.get(table);
  if (keys === undefined) {
    const named = [...table.values()].flatMap(({ body }) =>
      (body as QuotaSpecBinding).services.flatMap(({ labels }) => Object.keys(labels)),
    );
    keys = [...new Set(named)].sort();
    keysOf.set(table, keys);
  }
  return keys;
}
