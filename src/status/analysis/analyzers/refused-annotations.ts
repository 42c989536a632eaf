import type { MeshObject, ObjectKey } from '../../../config/object.js';
import { isDnsLabel } from '../../../config/primitives.js';
import { nearestName } from '../../../config/schema/nearest-name.js';
import { parseGrants } from '../../../model/policy/binding-grants.js';
import { type RefusedAnnotation, shownValue } from '../../../model/refused-annotation.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/**
 * Annotations of Services, ServiceEntries and Namespaces that have no effect or cannot be used. Those of pods are refused by the webhook. An
 * entry with several hosts is told once.
 */
export const findRefusedAnnotations: Analyzer = ({ services, objects, bindingGrants: { annotation } }) => {
  const bySource = new Map(
    services.flatMap(({ source, refusedAnnotations = [] }) =>
      refusedAnnotations.length === 0 ? [] : [[source, refusedAnnotations] as const],
    ),
  );
  return [
    ...[...bySource].flatMap(([object, refused]) => refusedAnnotationMessages(object, refused)),
    ...[...(objects.get('Namespace') ?? [])].flatMap(([key, object]) =>
      refusedAnnotationMessages(key, refusedOfNamespace(object, annotation)),
    ),
  ];
};

/** What is told about the annotations of one object. */
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

/** @param grant the annotation that lets bindings of other namespaces in */
function refusedOfNamespace({ metadata }: MeshObject, grant: string): readonly RefusedAnnotation[] {
  const prefix = grant.slice(0, grant.indexOf('/') + 1);
  const unknown = Object.keys(metadata.annotations)
    .filter((annotation) => annotation.startsWith(prefix) && annotation !== grant)
    .map((annotation): RefusedAnnotation => {
      const nearest = nearestName(annotation, [grant]);
      return {
        annotation: shownValue(annotation),
        value: shownValue(metadata.annotations[annotation] ?? ''),
        problem: 'does nothing on a namespace',
        remedy: nearest === undefined ? `only ${grant} is read there` : `did you mean ${nearest}?`,
        isUnknown: true,
      };
    });
  const wrong = parseGrants(metadata.annotations[grant])
    .filter((item) => item !== '*' && !isDnsLabel(item))
    .map(
      (item): RefusedAnnotation => ({
        annotation: grant,
        value: shownValue(item),
        problem: 'is no namespace, so it grants nothing',
        remedy: 'use namespaces between commas, or "*" for all',
      }),
    );
  return [...wrong, ...unknown].slice(0, MAX_REFUSED);
}
