import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';

/** The kinds that can be made from other objects: an index of the snapshot reads each of them. */
export type DerivedKind = 'Gateway' | 'VirtualService' | 'DestinationRule';

/** An object that a family makes. Its body is valid and complete, as after reading a file. */
export interface DerivedObject {
  readonly kind: DerivedKind;
  readonly namespace: string;
  /** Ends with a suffix that belongs to the family, so that names of applied objects differ. */
  readonly name: string;
  readonly body: unknown;
  /**
   * The objects that it comes from, the most important first. That one gives its age, and its namespace is the author's:
   * a Gateway in another namespace has no more rights than its author (`authorNamespaceOf`).
   */
  readonly sources: readonly [MeshObject, ...MeshObject[]];
}

/**
 * What is wrong with a valid source object: `unsupported` field, `conflict` with another object, `reference` that leads
 * nowhere.
 */
export type DerivationProblemType = 'unsupported' | 'conflict' | 'reference';

export interface DerivationProblem {
  readonly type: DerivationProblemType;
  /** The source object. */
  readonly object: ObjectKey;
  /** Path in the object, for example `spec.rules[0].host`. */
  readonly field?: string;
  /** The problem without a remedy, which the type gives. */
  readonly text: string;
}

export interface Derivation {
  /** Of two objects with one key, the first is used. */
  readonly objects: readonly DerivedObject[];
  readonly problems: readonly DerivationProblem[];
}

export interface DerivationInput {
  readonly mesh: MeshConfig;
  /** @param kind one of the family's; the oldest object first, then by key */
  objectsOf(kind: string): readonly MeshObject[];
  /** Any object. The family runs again when it changes. */
  find(kind: string, namespace: string, name: string): MeshObject | undefined;
}

/** Kinds that are read and translated together. */
export interface DerivedFamily {
  /** The kinds that it reads as a whole. Without any object of them it does not run. */
  readonly kinds: readonly string[];
  /**
   * Pure. It runs again when an object of its kinds, an object that it found, or the mesh config changes. Keep what
   * single objects give (`memoize`): a body that is the same object again costs nothing.
   */
  derive(input: DerivationInput): Derivation;
}
