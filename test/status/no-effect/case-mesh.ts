import { baseServices, baseSpecs, type Manifest, policyManifest, type Specs } from './base-mesh.js';
import { placeOf, plant } from './plant-value.js';

/** One changed object among the objects of its own namespace. */
export interface Case {
  readonly title: string;
  /** The changed object. */
  readonly manifest: Manifest;
  /** All objects of the namespace. */
  readonly all: readonly Manifest[];
  /** The place of the message, as in messages. */
  readonly at: string;
  /** The text that messages must contain beside the place. */
  readonly shown: string | undefined;
}

/** The changes of a case to the base mesh. */
export interface CaseChange {
  readonly title: string;
  readonly kind: string;
  readonly at: string;
  readonly shown?: string | undefined;
  spec(specs: Specs, namespace: string): unknown;
  /** Further objects of the namespace. */
  others?(namespace: string): readonly Manifest[];
}

/** @param number of the case, from 0 */
export function caseOf({ title, kind, at, shown, spec, others }: CaseChange, number: number): Case {
  const namespace = `case-${number}`;
  const specs = baseSpecs(namespace);
  const manifest = policyManifest(namespace, kind, spec(specs, namespace));
  // The other kinds of policies do not affect the object.
  const isOfSide = (of: string): boolean => sideOf(of) === sideOf(kind);
  const policies = Object.entries(specs)
    .filter(([of]) => isOfSide(of))
    .map(([of, base]) => (of === kind ? manifest : policyManifest(namespace, of, base)));
  const all = [...policies, ...baseServices(namespace, number), ...(others?.(namespace) ?? [])];
  return { title, manifest, all, at, shown };
}

function sideOf(kind: string): 'apis' | 'plans' | 'quotas' {
  if (kind.startsWith('HTTP')) return 'apis';
  return kind === 'Plan' || kind === 'Consumer' ? 'plans' : 'quotas';
}

/** The spec of a kind with another value in a field. */
export function specWith(specs: Specs, kind: string, path: string, change: (old: unknown) => unknown): unknown {
  const place = placeOf(specs[kind], path);
  if (place === undefined) throw new Error(`the base mesh has no ${path} of ${kind}: give it one`);
  return plant(specs[kind], place, change);
}
