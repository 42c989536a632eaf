import { type MeshObject, type ObjectKey, objectKey } from '../../config/object.js';
import type { HttpApiSpecReference, QuotaSpecReference } from '../../config/policy/bindings.js';
import type { MeshServiceSpec } from '../../config/policy/mesh-service.js';
import { type BindingGrants, mayActOn, mayReferTo } from './binding-grants.js';
import { type BoundService, BoundServices } from './bound-services.js';
import type { LabelSet } from './label-conditions.js';
import { matchesHost, type ServicePattern, servicePatternOf } from './service-pattern.js';

/** A reference of a binding; `spec` is undefined when the object does not exist or the binding may not use it. */
export interface ResolvedReference<Spec extends MeshObject> {
  readonly key: ObjectKey;
  /** Of the spec. */
  readonly namespace: string;
  /** Whether the namespace of the spec allows the binding to use it. */
  readonly isGranted: boolean;
  readonly spec: Spec | undefined;
}

/** A binding with its items resolved, each in the order of the object. */
export interface ResolvedBinding<Spec extends MeshObject = MeshObject> {
  readonly binding: MeshObject;
  readonly services: readonly { readonly pattern: ServicePattern; readonly source: MeshServiceSpec }[];
  readonly references: readonly ResolvedReference<Spec>[];
  /** Whether the binding may act on services of a namespace. */
  actsOn(namespace: string): boolean;
}

/** Whether a binding names a service and may act on its namespace. */
export function isBoundBy({ services, actsOn }: ResolvedBinding, { hostname, namespace }: BoundService): boolean {
  return services.some(({ pattern }) => matchesHost(pattern, hostname)) && actsOn(namespace);
}

/** All bindings of one kind. */
export interface ResolvedBindings<Spec extends MeshObject = MeshObject> {
  /** Sorted by key. */
  readonly bindings: readonly ResolvedBinding<Spec>[];
  /**
   * The specs of a service, each once, sorted by key; dangling references are left out. Services with the same specs
   * share one array.
   */
  specsOf(service: BoundService): readonly Spec[];
}

/** The fields of a kind of binding. */
export interface BindingShape<Spec extends MeshObject> {
  readonly specKind: Spec['kind'];
  readonly bindings: readonly MeshObject[];
  readonly specs: ReadonlyMap<ObjectKey, MeshObject>;
  readonly domain: string;
  readonly grants: BindingGrants;
  services(binding: MeshObject): readonly MeshServiceSpec[];
  references(binding: MeshObject): readonly (QuotaSpecReference | HttpApiSpecReference)[];
  /** The spec for workloads with one of the label sets. */
  readonly restrict: (spec: Spec, labelSets: readonly LabelSet[]) => Spec;
}

type SpecTable<Spec> = ReadonlyMap<string, Spec>;

/** The value of one item of a binding for the services that it names. */
interface BoundSpecs<Spec> {
  readonly specs: ReadonlyMap<ObjectKey, Spec>;
  readonly labels: LabelSet;
}

/** Resolves all bindings of a kind in O(items); the first look-up of each service costs O(wildcards) more. */
export function resolveBindings<Spec extends MeshObject>(shape: BindingShape<Spec>): ResolvedBindings<Spec> {
  const bindings = shape.bindings.toSorted(byKey).map((binding) => resolveBinding(binding, shape));
  const bound = new BoundServices<BoundSpecs<Spec>>(shape.grants);
  for (const { binding, services, references } of bindings) {
    const specs = new Map(references.flatMap(({ key, spec }) => (spec === undefined ? [] : [[key, spec] as const])));
    for (const { pattern, source } of services) bound.add(binding, pattern, { specs, labels: source.labels });
  }
  const intern = createInterner<Spec>();
  const known = new Map<string, readonly Spec[]>();
  return {
    bindings,
    specsOf: (service) => {
      const id = `${service.hostname}/${service.namespace}`;
      const specs = known.get(id) ?? intern(specTable(bound.find(service), shape.restrict));
      known.set(id, specs);
      return specs;
    },
  };
}

function resolveBinding<Spec extends MeshObject>(
  binding: MeshObject,
  { specKind, specs, domain, grants, ...shape }: BindingShape<Spec>,
): ResolvedBinding<Spec> {
  const { namespace } = binding.metadata;
  return {
    binding,
    services: shape
      .services(binding)
      .map((source) => ({ source, pattern: servicePatternOf(source, namespace, domain) })),
    references: shape.references(binding).map((reference) => {
      const of = reference.namespace ?? namespace;
      const key = objectKey(specKind, of, reference.name);
      const isGranted = mayReferTo(grants, binding, of);
      return { key, namespace: of, isGranted, spec: isGranted ? (specs.get(key) as Spec | undefined) : undefined };
    }),
    actsOn: (of) => mayActOn(grants, binding, of),
  };
}

/** A spec that an item binds without labels applies to all workloads, even if other items bind it with labels. */
function specTable<Spec>(
  found: readonly BoundSpecs<Spec>[],
  restrict: BindingShape<Spec & MeshObject>['restrict'],
): SpecTable<Spec> {
  const table = new Map<string, Spec>();
  const labelled = new Map<ObjectKey, { readonly spec: Spec; readonly sets: Map<string, LabelSet> }>();
  for (const { specs, labels } of found) {
    const id = labelsId(labels);
    for (const [key, spec] of specs) {
      if (id === '') {
        table.set(key, spec);
        continue;
      }
      const known = labelled.get(key) ?? { spec, sets: new Map<string, LabelSet>() };
      labelled.set(key, known);
      known.sets.set(id, labels);
    }
  }
  for (const [key, { spec, sets }] of labelled) {
    if (table.has(key)) continue;
    const ids = [...sets.keys()].sort();
    const labelSets = ids.map((id) => sets.get(id) ?? {});
    table.set(`${key} ${ids.join()}`, restrict(spec as Spec & MeshObject, labelSets));
  }
  return table;
}

function labelsId(labels: LabelSet): string {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? '' : JSON.stringify(entries);
}

/** One array for equal sets of specs. */
function createInterner<Spec>(): (specs: SpecTable<Spec>) => readonly Spec[] {
  const arrays = new Map<string, readonly Spec[]>();
  return (specs) => {
    const keys = [...specs.keys()].sort();
    const id = keys.join();
    const array = arrays.get(id) ?? keys.map((key) => specs.get(key) as Spec);
    arrays.set(id, array);
    return array;
  };
}

function byKey({ metadata: first }: MeshObject, { metadata: second }: MeshObject): number {
  const a = `${first.namespace}/${first.name}`;
  const b = `${second.namespace}/${second.name}`;
  return a < b ? -1 : Number(a > b);
}
