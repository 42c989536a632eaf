import { nearestName } from '../../../base/nearest-name.js';
import type { MeshObject, ObjectKey } from '../../../config/object.js';
import { isDnsLabel } from '../../../config/primitives.js';
import { parseGrants } from '../../../model/policy/binding-grants.js';
import { type RefusedAnnotation, shownValue } from '../../../model/service.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { kindsOfAnnotation } from '../known-annotations.js';

/**
 * Annotations of Services, ServiceEntries and Namespaces that have no effect or cannot be used; one message for an
 * entry with several hosts. The injection webhook rejects such annotations of pods.
 */
export const findRefusedAnnotations: Analyzer = ({ services, objects, bindingGrants: { annotation }, traffic }) => {
  // Annotations of other kinds have a message of their own.
  const isHere = ({ annotation: name }: RefusedAnnotation): boolean =>
    kindsOfAnnotation(name, traffic.meshDomain).length === 0;
  const refusedHere = (refused: readonly RefusedAnnotation[]): readonly RefusedAnnotation[] =>
    refused.filter((each) => each.isUnknown !== true || isHere(each));
  const bySource = new Map(
    services.flatMap(({ source, refusedAnnotations = [] }) =>
      refusedAnnotations.length === 0 ? [] : [[source, refusedAnnotations] as const],
    ),
  );
  return [
    ...[...bySource].flatMap(([object, refused]) => refusedAnnotationMessages(object, refusedHere(refused))),
    ...[...(objects.get('Namespace') ?? [])].flatMap(([key, object]) =>
      refusedAnnotationMessages(key, refusedHere(refusedOfNamespace(object, annotation))),
    ),
  ];
};

/** The messages about the annotations of one object. */
export function refusedAnnotationMessages(
  object: ObjectKey,
  refused: readonly RefusedAnnotation[],
): readonly AnalysisMessage[] {
  return refused.map(({ annotation, value, problem, remedy, isUnknown = false }) => {
    const where = { object, field: `metadata.annotations[${annotation}]` };
    const text = isUnknown ? `${problem}: ${remedy}` : `${JSON.stringify(value)} ${problem}: ${remedy}`;
    return createMessage(isUnknown ? 'unknownAnnotation' : 'unusableAnnotation', where, text);
  });
}

const MAX_REFUSED = 20;

/** @param grant the annotation that grants access to bindings of other namespaces */
function refusedOfNamespace({ metadata }: MeshObject, grant: string): readonly RefusedAnnotation[] {
  const prefix = grant.slice(0, grant.indexOf('/') + 1);
  const unknown = Object.keys(metadata.annotations)
    .filter((annotation) => annotation.startsWith(prefix) && annotation !== grant)
    .map((annotation): RefusedAnnotation => {
      const nearest = nearestName(annotation, [grant]);
      return {
        annotation: shownValue(annotation),
        value: shownValue(metadata.annotations[annotation] ?? ''),
        problem: 'has no effect on a namespace',
        remedy: nearest === undefined ? `the only annotation of a namespace is ${grant}` : `did you mean ${nearest}?`,
        isUnknown: true,
      };
    });
  const wrong = parseGrants(metadata.annotations[grant])
    .filter((item) => item !== '*' && !isDnsLabel(item))
    .map(
      (item): RefusedAnnotation => ({
        annotation: grant,
        value: shownValue(item),
        problem: 'is not the name of a namespace, so it grants nothing',
        remedy: 'use names of namespaces separated by commas, or "*" for all',
      }),
    );
  return [...wrong, ...unknown].slice(0, MAX_REFUSED);
}
