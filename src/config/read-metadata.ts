import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { ObjectMeta } from './object.js';
import { isDnsLabel, isLabelKey, isLabelValue, isObjectName } from './primitives.js';
import type { Immutable } from './schema/immutable.js';
import { stringMap } from './schema/string-map.js';
import { childPath, type Violation } from './violation.js';

export const metadataSchema = Type.Object({
  name: Type.String({ description: 'Name of the object.' }),
  namespace: Type.String({ description: 'Namespace of the object.', default: '' }),
  labels: stringMap(Type.String(), { description: 'Labels.', default: {} }),
  annotations: stringMap(Type.String(), { description: 'Annotations.', default: {} }),
  creationTimestamp: Type.Optional(Type.String({ description: 'RFC 3339.' })),
  generation: Type.Optional(Type.Integer({ description: 'Counts changes of the spec.' })),
  resourceVersion: Type.String({ description: 'Changes with the object.', default: '' }),
});

/** Repeats the whole object in one string. The model does not read it, so it is dropped. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The metadata of an object. Its namespace is empty if the kind is cluster-scoped. */
export function translateMetadata(
  metadata: Immutable<Static<typeof metadataSchema>>,
  namespaced: boolean,
  defaultNamespace: string,
): ObjectMeta {
  const namespace = metadata.namespace === '' ? defaultNamespace : metadata.namespace;
  const { [LAST_APPLIED]: _, ...annotations } = metadata.annotations;
  return { ...metadata, annotations, namespace: namespaced ? namespace : '' };
}

/** Rules of metadata beyond its schema; paths are below `metadata`. */
export function validateMetadata(metadata: ObjectMeta): readonly Violation[] {
  const violations: Violation[] = [];
  if (!isObjectName(metadata.name)) {
    violations.push({
      path: 'name',
      value: metadata.name,
      message: 'is not a valid name',
      remedy: 'use lower-case letters, digits, hyphens and dots, at most 253 of them',
    });
  }
  if (metadata.namespace !== '' && !isDnsLabel(metadata.namespace)) {
    violations.push({
      path: 'namespace',
      value: metadata.namespace,
      message: 'is not a valid namespace name',
      remedy: 'use at most 63 letters, digits and hyphens',
    });
  }
  const { creationTimestamp } = metadata;
  if (creationTimestamp !== undefined && Number.isNaN(Date.parse(creationTimestamp))) {
    violations.push({
      path: 'creationTimestamp',
      value: creationTimestamp,
      message: 'is not a time',
      remedy: 'use RFC 3339, for example 2024-05-01T12:00:00Z, or leave it out',
    });
  }
  return [...violations, ...validateLabels(metadata.labels, 'labels')];
}

/** Validates the keys and values of labels. @param path of the labels in the object */
export function validateLabels(labels: Readonly<Record<string, string>>, path: string): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [key, value] of Object.entries(labels)) {
    if (!isLabelKey(key)) {
      violations.push({
        path: childPath(path, key),
        message: 'is not a valid label key',
        remedy: 'use at most 63 letters, digits, "-", "_" and ".", with an optional "dns.name/" before them',
      });
    }
    if (!isLabelValue(value)) {
      violations.push({
        path: childPath(path, key),
        value,
        message: 'is not a valid label value',
        remedy: 'use at most 63 letters, digits, "-", "_" and ".", or nothing',
      });
    }
  }
  return violations;
}
