import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../../config/object.js';
import { compareObjects } from '../object-order.js';
import type { DerivationProblem, DerivedFamily, DerivedObject } from './derivation.js';

type ObjectTables = ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;

export interface DerivationSource {
  /** All objects by kind. */
  readonly objects: ObjectTables;
  readonly mesh: MeshConfig;
}

/** What an update changed. */
export interface DerivedChange {
  readonly set: readonly MeshObject[];
  readonly deleted: readonly MeshObject[];
}

/** One family with its last results. */
interface Running {
  readonly family: DerivedFamily;
  readonly kinds: ReadonlySet<string>;
  /** Keys of objects that the last run looked up. */
  reads: ReadonlySet<ObjectKey>;
  isStale: boolean;
  objects: ReadonlyMap<ObjectKey, MeshObject>;
  problems: readonly DerivationProblem[];
}

const NO_CHANGE: DerivedChange = { set: [], deleted: [] };
const NO_PROBLEMS: readonly DerivationProblem[] = [];

/** The objects that families make. Costs nothing while no object of their kinds exists. */
export class DerivedObjects {
  readonly #apiVersion: string;
  readonly #families: readonly Running[];
  #problems: readonly DerivationProblem[] = NO_PROBLEMS;

  constructor(families: readonly DerivedFamily[], meshDomain: string) {
    this.#apiVersion = `networking.${meshDomain}/v1beta1`;
    this.#families = families.map((family) => ({
      family,
      kinds: new Set(family.kinds),
      reads: new Set(),
      isStale: false,
      objects: new Map(),
      problems: NO_PROBLEMS,
    }));
  }

  /** The same array while the problems stay. */
  get problems(): readonly DerivationProblem[] {
    return this.#problems;
  }

  /** An applied object was set or deleted. */
  note(kind: string, key: ObjectKey): void {
    for (const running of this.#families) {
      if (running.kinds.has(kind) || running.reads.has(key)) running.isStale = true;
    }
  }

  meshChanged(): void {
    for (const running of this.#families) running.isStale = true;
  }

  /** @param read gives the present content; called if a family has to run */
  update(read: () => DerivationSource): DerivedChange {
    const stale = this.#families.filter(({ isStale }) => isStale);
    if (stale.length === 0) return NO_CHANGE;
    const source = read();
    const changes = stale.map((running) => this.#run(running, source));
    const problems = this.#families.flatMap((running) => running.problems);
    if (!isDeepStrictEqual(problems, this.#problems)) this.#problems = problems;
    return { set: changes.flatMap(({ set }) => set), deleted: changes.flatMap(({ deleted }) => deleted) };
  }

  #run(running: Running, { objects, mesh }: DerivationSource): DerivedChange {
    const { family, kinds, objects: known } = running;
    const reads = new Set<ObjectKey>();
    const next = new Map<ObjectKey, MeshObject>();
    const problems: DerivationProblem[] = [];
    running.isStale = false;
    if (family.kinds.some((kind) => (objects.get(kind)?.size ?? 0) > 0)) {
      const derivation = family.derive({
        mesh,
        objectsOf: (kind) => (kinds.has(kind) ? oldestFirst(objects.get(kind)) : []),
        find: (kind, namespace, name) => {
          const key = objectKey(kind, namespace, name);
          reads.add(key);
          return objects.get(kind)?.get(key);
        },
      });
      problems.push(...derivation.problems);
      for (const made of derivation.objects) {
        const key = objectKey(made.kind, made.namespace, made.name);
        // A family can look up what it would make: the applied object then wins in the table of objects.
        if (next.has(key)) continue;
        const before = known.get(key);
        next.set(key, before !== undefined && isSame(before, made) ? before : build(made, this.#apiVersion));
        reads.add(key);
        const shown = objects.get(made.kind)?.get(key);
        if (shown !== undefined && shown.derivedFrom === undefined) problems.push(takenName(made, key));
      }
    }
    running.reads = reads;
    running.problems = problems;
    running.objects = next;
    const deleted = [...known].flatMap(([key, object]) => (next.has(key) ? [] : [object]));
    const set = [...next].flatMap(([key, object]) => (known.get(key) === object ? [] : [object]));
    return { set, deleted };
  }
}

function takenName({ sources: [source], kind, namespace, name }: DerivedObject, key: ObjectKey): DerivationProblem {
  const text = `makes ${kind} ${namespace}/${name}, but an object ${key} is applied too and is used instead`;
  return { type: 'conflict', object: keyOf(source), text };
}

function oldestFirst(table: ReadonlyMap<ObjectKey, MeshObject> | undefined): readonly MeshObject[] {
  return [...(table?.values() ?? [])].sort(compareObjects);
}

function isSame(known: MeshObject, { body, sources }: DerivedObject): boolean {
  const { derivedFrom, metadata, origin } = known;
  return (
    derivedFrom?.length === sources.length &&
    sources.every((source, index) => keyOf(source) === derivedFrom[index]) &&
    metadata.creationTimestamp === sources[0].metadata.creationTimestamp &&
    origin === originOf(sources) &&
    (known.body === body || isDeepStrictEqual(known.body, body))
  );
}

function build({ kind, namespace, name, body, sources }: DerivedObject, apiVersion: string): MeshObject {
  const [{ metadata }] = sources;
  const { creationTimestamp } = metadata;
  const origin = originOf(sources);
  const [first, ...others] = sources.map(keyOf);
  return {
    kind,
    apiVersion,
    metadata: {
      name,
      namespace,
      labels: {},
      annotations: {},
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      resourceVersion: hash('sha256', JSON.stringify([creationTimestamp, first, ...others, body]), 'base64url'),
    },
    body,
    ...(origin === undefined ? {} : { origin }),
    derivedFrom: [first ?? '', ...others],
  };
}

/** An object that any tenant had a part in has no more rights than a tenant's. */
function originOf(sources: readonly MeshObject[]): 'cluster' | undefined {
  return sources.some(({ origin }) => origin === 'cluster') ? 'cluster' : undefined;
}
