import { keyOf } from '../../config/object.js';
import { formatViolation } from '../../config/violation.js';
import { readServiceFailPolicy } from '../../model/policy/read-service-fail-policy.js';
import { refusedAnnotationMessages } from '../../status/analysis/analyzers/refused-annotations.js';
import type { AdmissionRequest } from '../admission/admission-request.js';
import { joinErrors } from './error-list.js';
import type { Verdict } from './verdict.js';

/**
 * Refuses a ServiceEntry whose annotations about its fail policy cannot be used. Annotations that the old version has too
 * are warned of only, so that the finalizers and the status of the object can change, and so are unknown ones.
 */
export function reviewAnnotations(
  verdict: Extract<Verdict, { readonly type: 'passed' }>,
  { oldObject }: Pick<AdmissionRequest, 'oldObject'>,
  meshDomain: string,
): Verdict {
  const { object, concerns = [] } = verdict;
  if (object?.kind !== 'ServiceEntry') return verdict;
  const { kind, metadata } = object;
  const { refused } = readServiceFailPolicy(metadata.annotations, meshDomain);
  if (refused.length === 0) return verdict;
  const old = annotationsOf(oldObject);
  const isNew = refused.filter(
    ({ annotation, isUnknown = false }) => !isUnknown && old[annotation] !== metadata.annotations[annotation],
  );
  if (isNew.length === 0) {
    return { ...verdict, concerns: [...concerns, ...refusedAnnotationMessages(keyOf(object), refused)] };
  }
  const errors = isNew.map(({ annotation, value, problem, remedy }) => {
    const path = `metadata.annotations[${annotation}]`;
    return formatViolation({ kind, ...metadata }, { path, value, message: problem, remedy });
  });
  const message = `configuration is invalid: ${joinErrors(errors)}`;
  return { type: 'refused', reason: 'invalid_resource', message };
}

function annotationsOf(object: unknown): Readonly<Record<string, unknown>> {
  const metadata = fieldsOf(fieldsOf(object)['metadata']);
  return fieldsOf(metadata['annotations']);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
