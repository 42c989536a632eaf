import type { TSchema } from 'typebox';
import type { Violation } from './violation.js';

/** Everything that is known about one kind; a room registers its kinds by exporting such definitions. */
export interface KindDefinition<Body = unknown> {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Accepted versions. Objects are handed on in the first one, whichever they were written in. */
  readonly versions: readonly [string, ...string[]];
  readonly kind: string;
  /** Lower-case plural, as in URLs and the names of CRDs. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Short names for kubectl, of kinds whose CRD we write. */
  readonly shortNames?: readonly string[];
  /** Describes the body; a CRD is generated from it. */
  readonly schema: TSchema;
  /** Where the body is: under `spec`, or in the object's own fields beside its metadata. */
  readonly bodyAt: 'spec' | 'object';
  /** Unknown fields are mistakes in kinds of the mesh; other kinds have fields that the model does not read. */
  readonly unknownFields: 'refused' | 'dropped';
  /** The rules that a schema cannot express, over a body that fits the schema. Paths are below the body. */
  validate(body: Body): readonly Violation[];
}

/** `group/version` of the version that objects are handed on in; `v1` in the core group. */
export function apiVersionOf(definition: KindDefinition, version: string = definition.versions[0]): string {
  return definition.group === '' ? version : `${definition.group}/${version}`;
}
