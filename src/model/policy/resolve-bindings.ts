import { type MeshObject, type ObjectKey, objectKey } from '../../config/object.js';
import type { HttpApiSpecReference, QuotaSpecReference } from '../../config/policy/bindings.js';
import type { MeshServiceSpec } from '../../config/policy/mesh-service.js';
import { matchesHost, type ServicePattern, servicePatternOf } from './service-pattern.js';

/** A reference of a binding; `spec` is undefined when there is no such object. */
export interface ResolvedReference<Spec extends MeshObject> {
  readonly key: ObjectKey;
  readonly spec: Spec | undefined;
}

/** A binding with its items resolved, each in the order of the object. */
export interface ResolvedBinding<Spec extends MeshObject = MeshObject> {
  readonly binding: MeshObject;
  readonly services: readonly { readonly pattern: ServicePattern; readonly source: MeshServiceSpec }[];
  readonly references: readonly ResolvedReference<Spec>[];
}

/** All bindings of one kind. */
export interface ResolvedBindings<Spec extends MeshObject = MeshObject> {
  /** Sorted by key. */
  readonly bindings: readonly ResolvedBinding<Spec>[];
  /**
   * The specs that apply to a host, each once, sorted by key; dangling references are left out. Hosts with the
   * same specs share one array.
   */
  specsOf(hostname: string): readonly Spec[];
}

/** Where a kind of binding keeps what. */
export interface BindingShape<Spec extends MeshObject> {
  readonly specKind: Spec['kind'];
  readonly bindings: readonly MeshObject[];
  readonly specs: ReadonlyMap<ObjectKey, MeshObject>;
  readonly domain: string;
  services(binding: MeshObject): readonly MeshServiceSpec[];
  references(binding: MeshObject): readonly (QuotaSpecReference | HttpApiSpecReference)[];
}

type SpecTable<Spec> = ReadonlyMap<ObjectKey, Spec>;

/** Resolves all bindings of a kind; O(items), and O(wildcards) more for each host when it is asked for first. */
export function resolveBindings<Spec extends MeshObject>(shape: BindingShape<Spec>): ResolvedBindings<Spec> {
  const bindings = shape.bindings.toSorted(byKey).map((binding) => resolveBinding(binding, shape));
  const byHost = new Map<string, SpecTable<Spec>[]>();
  const wildcards: { readonly pattern: ServicePattern; readonly specs: SpecTable<Spec> }[] = [];
  for (const { services, references } of bindings) {
    const specs = new Map(references.flatMap(({ key, spec }) => (spec === undefined ? [] : [[key, spec] as const])));
    for (const { pattern } of services) {
      if (pattern.type !== 'host') {
        wildcards.push({ pattern, specs });
        continue;
      }
      const tables = byHost.get(pattern.hostname) ?? [];
      tables.push(specs);
      byHost.set(pattern.hostname, tables);
    }
  }
  const intern = createInterner<Spec>();
  const known = new Map<string, readonly Spec[]>();
  const find = (hostname: string): readonly Spec[] => {
    const matching = wildcards.filter(({ pattern }) => matchesHost(pattern, hostname)).map(({ specs }) => specs);
    return intern(new Map([...(byHost.get(hostname) ?? []), ...matching].flatMap((specs) => [...specs])));
  };
  return {
    bindings,
    specsOf: (hostname) => {
      const specs = known.get(hostname) ?? find(hostname);
      known.set(hostname, specs);
      return specs;
    },
  };
}

function resolveBinding<Spec extends MeshObject>(
  binding: MeshObject,
  { specKind, specs, domain, ...shape }: BindingShape<Spec>,
): ResolvedBinding<Spec> {
  const { namespace } = binding.metadata;
  return {
    binding,
    services: shape
      .services(binding)
      .map((source) => ({ source, pattern: servicePatternOf(source, namespace, domain) })),
    references: shape.references(binding).map((reference) => {
      const key = objectKey(specKind, reference.namespace ?? namespace, reference.name);
      return { key, spec: specs.get(key) as Spec | undefined };
    }),
  };
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
