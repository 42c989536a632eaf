import { isRecord } from '../../base/record.js';
import type { KindRegistry } from '../../config/kinds.js';
import { ENVELOPE_FIELDS, type ReadResult } from '../../config/read-object.js';
import { explainUnknownKind } from '../../config/unknown-kind.js';
import { formatFinding, formatViolation } from '../../config/violation.js';
import type { EntryGuard } from '../../model/entries/entry-guard.js';
import type { AdmissionRequest } from '../admission/admission-request.js';
import { joinErrors } from './error-list.js';
import { isLegacyPolicyKind, judgeLegacyPolicy } from './legacy-policy-kinds.js';
import { reviewAnnotations } from './review-annotations.js';
import { reviewEntry } from './review-entry.js';
import type { FailureReason, Verdict } from './verdict.js';

/**
 * Judges one request by the same schemas and rules as every source reads objects (BEHAVIOUR 3, "Validation").
 *
 * @param guard what of the mesh decides how far ServiceEntries act; undefined while that is not known
 */
export function judgeRequest(request: AdmissionRequest, kinds: KindRegistry, guard?: EntryGuard): Verdict {
  if (isLegacyPolicyKind(request, kinds.meshDomain)) return judgeLegacyPolicy(request);
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') {
    return { type: 'unsupported', reason: 'unsupported_operation' };
  }
  const { object } = request;
  if (!isRecord(object)) return refused('yaml_decode_error', 'cannot decode configuration: it is not an object');
  // A status is written by who reads the object; an object that goes must not be kept by what is wrong with it.
  if (request.subResource !== '' || isBeingDeleted(object)) return { type: 'passed', unknownFields: [] };
  const verdict = judgeObject(object, request, kinds);
  if (verdict.type !== 'passed') return verdict;
  const reviewed = reviewEntry(verdict, request, guard);
  return reviewed.type === 'passed' ? reviewAnnotations(reviewed, request, kinds.meshDomain) : reviewed;
}

type Mapping = Readonly<Record<string, unknown>>;

function judgeObject(object: Mapping, request: AdmissionRequest, kinds: KindRegistry): Verdict {
  const kind = textOf(object['kind']);
  const definition = kinds.find(textOf(object['apiVersion']), kind);
  if (definition?.unknownFields !== 'refused') return unrecognized(kind, textOf(object['apiVersion']), kinds);

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

function judgeViolations({ breaks, subject, violations }: Extract<ReadResult, { readonly type: 'invalid' }>): Verdict {
  const errors = joinErrors(violations.map((violation) => formatViolation(subject, violation)));
  return breaks === 'form'
    ? refused('crd_conversion_error', `error decoding configuration: ${errors}`)
    : refused('invalid_resource', `configuration is invalid: ${errors}`);
}

/** No kind has a longer name. */
const MAX_KIND = 63;

function unrecognized(kind: string, apiVersion: string, kinds: KindRegistry): Verdict {
  const isKnown = kinds.find(apiVersion, kind) !== undefined;
  const mistake = isKnown ? undefined : explainUnknownKind(kinds.definitions, apiVersion, kind);
  const hint = mistake === undefined ? '' : `: ${formatFinding(mistake)}`;
  return refused('unknown_type', `unrecognized type ${kind.slice(0, MAX_KIND)}${hint}`);
}

/** An API server that makes up names from this many characters of `generateName` adds others that are always valid. */
const GENERATED_NAME_BASE = 58;

/** Some API servers ask before they have made up a name. */
function namedMetadata(metadata: unknown, { name }: AdmissionRequest): unknown {
  if (!isRecord(metadata)) return metadata;
  const { generateName } = metadata;
  if (textOf(metadata['name']) !== '' || typeof generateName !== 'string') return metadata;
  return { ...metadata, name: name === '' ? `${generateName.slice(0, GENERATED_NAME_BASE)}x` : name };
}

function isBeingDeleted(object: Mapping): boolean {
  return isRecord(object['metadata']) && typeof object['metadata']['deletionTimestamp'] === 'string';
}

function refused(reason: FailureReason, message: string): Verdict {
  return { type: 'refused', reason, message };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
