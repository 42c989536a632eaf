import type { TSchema } from 'typebox';
import { GATEWAY_API_GROUP } from './gateway-api/gateway-api-names.js';
import type { Violation } from './violation.js';

/** The definition of one kind. Each API group exports the definitions of its kinds. */
export interface KindDefinition<Body = unknown> {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Supported versions. Objects of all versions are converted to the first one. */
  readonly versions: readonly [string, ...string[]];
  readonly kind: string;
  /** Kind of its objects in the model, where another group has a kind of this name. Default: `kind`. */
  readonly modelKind?: string;
  /** Lower-case plural, as in URLs and the names of CRDs. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Short names for kubectl, for kinds whose CRD is generated. */
  readonly shortNames?: readonly string[];
  /** The schema of the body. The CRD is generated from it. */
  readonly schema: TSchema;
  /** The place of the body: the field `spec`, or the fields of the object itself. */
  readonly bodyAt: 'spec' | 'object';
  /** `refused` in kinds of the mesh, where an unknown field is a mistake. Other kinds have fields that the model does not read. */
  readonly unknownFields: 'refused' | 'dropped';
  /** Checks the rules that a schema cannot express. The body fits the schema. Paths are relative to the body. */
  validate(body: Body): readonly Violation[];
  /** Returns the part of a valid body that the model keeps. Default: all fields of the schema. */
  reduce?(body: Body): Body;
}

/** What the kinds of a group of the mesh have in common. @param name of the group, before the mesh domain */
export function meshKinds(name: string, meshDomain: string, ...versions: KindDefinition['versions']) {
  return {
    group: `${name}.${meshDomain}`,
    versions,
    namespaced: true,
    bodyAt: 'spec',
    unknownFields: 'refused',
  } as const;
}

/** The kind of a definition's objects in the model, as object keys have it. */
export function modelKindOf({ kind, modelKind = kind }: Pick<KindDefinition, 'kind' | 'modelKind'>): string {
  return modelKind;
}

/** The group of Ingresses and their classes. */
export const INGRESS_GROUP = 'networking.k8s.io';

/** Whether the kinds of a group configure the mesh: its own, those of the Gateway API and Ingresses. Others describe workloads. */
export function isConfigurationGroup(group: string, meshDomain: string): boolean {
  return group === GATEWAY_API_GROUP || group === INGRESS_GROUP || group.endsWith(`.${meshDomain}`);
}

/** `group/version` of a version, by default of the first; `v1` in the core group. */
export function apiVersionOf(definition: KindDefinition, version: string = definition.versions[0]): string {
  return definition.group === '' ? version : `${definition.group}/${version}`;
}
