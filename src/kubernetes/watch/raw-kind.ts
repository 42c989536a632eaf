import * as Type from 'typebox';
import type { KindDefinition } from '../../config/kind-definition.js';

/** A kind that is not configuration of the mesh: its objects are passed on unchanged. */
export function rawKind(kind: Pick<KindDefinition, 'group' | 'kind' | 'plural' | 'namespaced'>): KindDefinition {
  return {
    ...kind,
    versions: ['v1'],
    schema: Type.Object({}),
    bodyAt: 'object',
    unknownFields: 'dropped',
    validate: () => [],
  };
}

export const CONFIG_MAP_KIND = rawKind({ group: '', kind: 'ConfigMap', plural: 'configmaps', namespaced: true });
