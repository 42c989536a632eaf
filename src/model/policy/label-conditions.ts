import type { HttpApiSpecBinding, QuotaSpecBinding } from '../../config/policy/bindings.js';
import type { BoundHttpApiSpec, BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import type { PushContext } from '../push-context.js';
import type { HttpApiSpecObject, QuotaSpecObject } from './policy-bindings.js';

/** Labels of a MeshService: it selects the workloads that have all of them. */
export type LabelSet = Readonly<Record<string, string>>;

/** The attribute with the labels of the workload of an inbound check. */
export const LABELS_ATTRIBUTE = 'destination.labels';

/** The spec with rules that apply only to workloads with one of the label sets. */
export const restrictQuotaSpec = createRestriction<BoundQuotaSpec, QuotaSpecObject>((body, workloads) => ({
  ...body,
  rules: body.rules.map((rule) => ({ ...rule, workloads })),
}));

/** The spec for workloads with one of the label sets. */
export const restrictHttpApiSpec = createRestriction<BoundHttpApiSpec, HttpApiSpecObject>((body, workloads) => ({
  ...body,
  workloads,
}));

type Workloads = readonly { readonly labels: LabelSet }[];

/** @returns a function that returns the same object for the same spec and sets, so that compiled forms are reused */
function createRestriction<Body extends object, Spec extends { readonly body: Body }>(
  restrict: (body: Body, workloads: Workloads) => Body,
): (spec: Spec, labelSets: readonly LabelSet[]) => Spec {
  const restricted = new WeakMap<Body, Map<string, Spec>>();
  return (spec, labelSets) => {
    const id = JSON.stringify(labelSets);
    const known = restricted.get(spec.body) ?? new Map<string, Spec>();
    restricted.set(spec.body, known);
    const made =
      known.get(id) ??
      ({
        ...spec,
        body: restrict(
          spec.body,
          labelSets.map((labels) => ({ labels })),
        ),
      } as Spec);
    known.set(id, made);
    return made;
  };
}

type Table = NonNullable<ReturnType<PushContext['objects']['get']>>;

const BINDING_KINDS = ['QuotaSpecBinding', 'HTTPAPISpecBinding'] as const;
const NO_KEYS: readonly string[] = [];
const keysOf = new WeakMap<Table, readonly string[]>();

/** The label keys that bindings of a snapshot name, sorted: proxies send only these labels. */
export function bindingLabelKeys({ objects }: Pick<PushContext, 'objects'>): readonly string[] {
  const [first = NO_KEYS, second = NO_KEYS] = BINDING_KINDS.map((kind) => keysOfTable(objects.get(kind)));
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...new Set([...first, ...second])].sort();
}

function keysOfTable(table: Table | undefined): readonly string[] {
  if (table === undefined) return NO_KEYS;
  let keys = keysOf.get(table);
  if (keys === undefined) {
    const named = [...table.values()].flatMap(({ body }) =>
      (body as QuotaSpecBinding | HttpApiSpecBinding).services.flatMap(({ labels }) => Object.keys(labels)),
    );
    keys = [...new Set(named)].sort();
    keysOf.set(table, keys);
  }
  return keys;
}
