import { keyOf } from '../../config/object.js';
import { formatViolation } from '../../config/violation.js';
import { readServiceFailPolicy } from '../../model/policy/read-service-fail-policy.js';
import { refusedAnnotationMessages } from '../../status/analysis/analyzers/refused-annotations.js';
import type { AdmissionRequest } from '../admission/admission-request.js';
import { joinErrors, type ValidationDecision } from './validation-decision.js';

/**
 * Rejects a ServiceEntry whose fail policy annotations cannot be used. Unchanged annotations of the old version only
 * cause warnings, so that finalizers and status of the object can change; unknown annotations too.
 */
export function reviewAnnotations(
  verdict: Extract<ValidationDecision, { readonly type: 'passed' }>,
  { oldObject }: Pick<AdmissionRequest, 'oldObject'>,
  meshDomain: string,
): ValidationDecision {
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
