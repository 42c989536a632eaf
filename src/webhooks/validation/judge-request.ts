import { isRecord } from '../../base/record.js';
import type { KindRegistry } from '../../config/kinds.js';
import { isRuleKind } from '../../config/policy-rules/kind-names.js';
import { ENVELOPE_FIELDS, type ReadResult } from '../../config/read-object.js';
import { explainUnknownKind } from '../../config/unknown-kind.js';
import { formatFinding, formatViolation } from '../../config/violation.js';
import type { EntryGuard } from '../../model/entries/entry-guard.js';
import type { AdmissionRequest } from '../admission/admission-request.js';
import { reviewAnnotations } from './review-annotations.js';
import { reviewEntry } from './review-entry.js';
import { type FailureReason, joinErrors, type ValidationDecision } from './validation-decision.js';

/**
 * Decides about one request by the schemas and rules with which every source reads objects
 * (docs/reference/webhooks.md#validation).
 *
 * @param guard the facts of the mesh that decide which namespaces a ServiceEntry affects; undefined until they are
 * known
 */
export function judgeRequest(request: AdmissionRequest, kinds: KindRegistry, guard?: EntryGuard): ValidationDecision {
  if (isRuleDeletion(request, kinds.meshDomain)) return judgeDeletion(request);
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') {
    return { type: 'unsupported', reason: 'unsupported_operation' };
  }
  const { object } = request;
  if (!isRecord(object)) return refused('yaml_decode_error', 'cannot decode configuration: it is not an object');
  // Controllers must be able to write a status, and to remove finalizers of an invalid object that is deleted.
  if (request.subResource !== '' || isBeingDeleted(object)) return { type: 'passed', unknownFields: [] };
  const verdict = judgeObject(object, request, kinds);
  if (verdict.type !== 'passed') return verdict;
  const reviewed = reviewEntry(verdict, request, guard);
  return reviewed.type === 'passed' ? reviewAnnotations(reviewed, request, kinds.meshDomain) : reviewed;
}

type Mapping = Readonly<Record<string, unknown>>;

function judgeObject(object: Mapping, request: AdmissionRequest, kinds: KindRegistry): ValidationDecision {
  const kind = textOrEmpty(object['kind']);
  const definition = kinds.find(textOrEmpty(object['apiVersion']), kind);
  if (definition?.unknownFields !== 'refused') return unrecognized(kind, textOrEmpty(object['apiVersion']), kinds);

  const known = Object.fromEntries(Object.entries(object).filter(([field]) => ENVELOPE_FIELDS.includes(field)));
  const result = kinds.read(
    { ...known, metadata: namedMetadata(object['metadata'], request) },
    { defaultNamespace: request.namespace, unknownFields: 'tolerated', origin: 'cluster' },
  );
  if (result.type === 'unknown') return unrecognized(kind, result.apiVersion, kinds);
  if (result.type === 'invalid') return judgeViolations(result);
  const { namespace, name } = result.object.metadata;
  const unknown = Object.keys(object).find((field) => !ENVELOPE_FIELDS.includes(field));
  if (unknown !== undefined) {
    const where = `${kind} resource ${namespace}/${name}`;
    return refused('invalid_resource', `unknown field ${JSON.stringify(unknown)} on ${where}`);
  }
  return { type: 'passed', object: result.object, unknownFields: result.unknownFields ?? [] };
}

function judgeViolations({
  breaks,
  subject,
  violations,
}: Extract<ReadResult, { readonly type: 'invalid' }>): ValidationDecision {
  const errors = joinErrors(violations.map((violation) => formatViolation(subject, violation)));
  return breaks === 'form'
    ? refused('crd_conversion_error', `error decoding configuration: ${errors}`)
    : refused('invalid_resource', `configuration is invalid: ${errors}`);
}

/** Longest name of a kind. */
const MAX_KIND = 63;

function unrecognized(kind: string, apiVersion: string, kinds: KindRegistry): ValidationDecision {
  const isKnown = kinds.find(apiVersion, kind) !== undefined;
  const mistake = isKnown ? undefined : explainUnknownKind(kinds.definitions, apiVersion, kind);
  const hint = mistake === undefined ? '' : `: ${formatFinding(mistake)}`;
  return refused('unknown_type', `unrecognized type ${kind.slice(0, MAX_KIND)}${hint}`);
}

/** API servers generate a name from this many characters of `generateName` and a valid suffix. */
const GENERATED_NAME_BASE = 58;

/** Some API servers call the webhook before they generate the name. */
function namedMetadata(metadata: unknown, { name }: AdmissionRequest): unknown {
  if (!isRecord(metadata)) return metadata;
  const { generateName } = metadata;
  if (textOrEmpty(metadata['name']) !== '' || typeof generateName !== 'string') return metadata;
  return { ...metadata, name: name === '' ? `${generateName.slice(0, GENERATED_NAME_BASE)}x` : name };
}

function isBeingDeleted(object: Mapping): boolean {
  return isRecord(object['metadata']) && typeof object['metadata']['deletionTimestamp'] === 'string';
}

function refused(reason: FailureReason, message: string): ValidationDecision {
  return { type: 'refused', reason, message };
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether a kind of the policy runtime is deleted. Configurations of webhooks may ask about that. */
function isRuleDeletion({ operation, kind: { group, kind } }: AdmissionRequest, meshDomain: string): boolean {
  return operation === 'DELETE' && group === `config.${meshDomain}` && isRuleKind(kind);
}

function judgeDeletion({ name }: AdmissionRequest): ValidationDecision {
  if (name !== '') return { type: 'passed', unknownFields: [] };
  return refused('unknown_type', 'illformed request: name not found on delete request');
}
