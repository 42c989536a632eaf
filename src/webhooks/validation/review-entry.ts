import { isDeepStrictEqual } from 'node:util';
import type { ServiceEntrySpec } from '../../config/networking/service-entry.js';
import { keyOf, type MeshObject } from '../../config/object.js';
import { formatViolation } from '../../config/violation.js';
import type { EntryGuard } from '../../model/entries/entry-guard.js';
import { type EntryOffence, entryOffences } from '../../model/entries/entry-offences.js';
import { confinedEntryMessages } from '../../status/analysis/analyzers/confined-entries.js';
import type { AdmissionRequest } from '../admission/admission-request.js';
import { joinErrors, type ValidationDecision } from './validation-decision.js';

/**
 * Rejects a ServiceEntry that would take traffic of other namespaces. An existing entry with an unchanged spec is
 * accepted with a warning, so that its labels, finalizers and status can change: it does not affect other namespaces
 * anyway.
 */
export function reviewEntry(
  verdict: Extract<ValidationDecision, { readonly type: 'passed' }>,
  { object: raw, oldObject }: Pick<AdmissionRequest, 'object' | 'oldObject'>,
  guard: EntryGuard | undefined,
): ValidationDecision {
  const { object } = verdict;
  if (object?.kind !== 'ServiceEntry' || guard === undefined) return verdict;
  const offences = entryOffences(object as MeshObject<'ServiceEntry', ServiceEntrySpec>, guard);
  if (offences.length === 0) return verdict;
  const refused = isDeepStrictEqual(specOf(raw), specOf(oldObject))
    ? []
    : offences.filter(({ isRefused }) => isRefused);
  if (refused.length === 0) return { ...verdict, concerns: confinedEntryMessages(keyOf(object), offences) };
  const errors = joinErrors(refused.map((offence) => errorText(object, offence)));
  return { type: 'refused', reason: 'invalid_resource', message: `configuration is invalid: ${errors}` };
}

function errorText({ kind, metadata }: MeshObject, { path, value, message, remedy }: EntryOffence): string {
  return formatViolation({ kind, ...metadata }, { path: `spec.${path}`, value, message, remedy });
}

function specOf(object: unknown): unknown {
  return typeof object === 'object' && object !== null ? (object as { readonly spec?: unknown }).spec : undefined;
}
