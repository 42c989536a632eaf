import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../base/record.js';
import type { AdmissionRequest, GroupVersionKind, GroupVersionResource } from './admission-request.js';
import { nestsDeeperThan } from './json-text.js';

/** The fields of a request that its response repeats. */
export interface ReviewEnvelope {
  readonly apiVersion: string;
  readonly kind: 'AdmissionReview';
  /** Empty if the request has no readable uid. */
  readonly uid: string;
}

export type DecodedReview =
  | { readonly type: 'review'; readonly envelope: ReviewEnvelope; readonly request: AdmissionRequest }
  | { readonly type: 'undecodable'; readonly envelope: ReviewEnvelope; readonly reason: string };

/** Kubernetes objects stay below 30 levels; readers may recurse this far. */
const MAX_NESTING = 100;
const KIND = 'AdmissionReview';
const API_VERSIONS: readonly string[] = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];
const [NEWEST = ''] = API_VERSIONS;

/** Reads an AdmissionReview of admission v1 or v1beta1. Never throws, for any body. */
export function decodeReview(body: Buffer): DecodedReview {
  const parsed = parse(body);
  if (parsed.type === 'broken') return undecodable(NEWEST, '', parsed.reason);
  const review = parsed.value;
  if (!isRecord(review)) return undecodable(NEWEST, '', 'it is not a JSON object');

  const { apiVersion, kind, request } = review;
  const uid = isRecord(request) ? textOrEmpty(request['uid']) : '';
  if (typeof apiVersion !== 'string' || !API_VERSIONS.includes(apiVersion)) {
    return undecodable(NEWEST, uid, `apiVersion: ${shown(apiVersion)}: is neither ${API_VERSIONS.join(' nor ')}`);
  }
  if (kind !== KIND) return undecodable(apiVersion, uid, `kind: ${shown(kind)}: is not ${KIND}`);
  if (!isRecord(request)) return undecodable(apiVersion, '', 'request: is not an object');
  const problem = problemOf(request);
  if (problem !== undefined) return undecodable(apiVersion, uid, problem);
  return { type: 'review', envelope: { apiVersion, kind: KIND, uid }, request: requestOf(uid, request) };
}

type Mapping = Readonly<Record<string, unknown>>;
type Parsed = { readonly type: 'json'; readonly value: unknown } | { readonly type: 'broken'; readonly reason: string };

function parse(body: Buffer): Parsed {
  if (!isUtf8(body)) return { type: 'broken', reason: 'it is not UTF-8' };
  if (nestsDeeperThan(body, MAX_NESTING)) {
    return { type: 'broken', reason: `it nests deeper than ${MAX_NESTING} levels` };
  }
  try {
    return { type: 'json', value: JSON.parse(body.toString('utf8')) };
  } catch (error) {
    return { type: 'broken', reason: error instanceof Error ? error.message : 'it is not JSON' };
  }
}

function undecodable(apiVersion: string, uid: string, reason: string): DecodedReview {
  return { type: 'undecodable', envelope: { apiVersion, kind: KIND, uid }, reason };
}

const REQUIRED_TEXTS = ['uid', 'operation'] as const;
const OPTIONAL_TEXTS = ['subResource', 'name', 'namespace'] as const;
const REQUIRED_TRIPLES = { kind: ['group', 'version', 'kind'], resource: ['group', 'version', 'resource'] } as const;

function problemOf(request: Mapping): string | undefined {
  for (const field of REQUIRED_TEXTS) {
    const value = own(request, field);
    if (typeof value !== 'string' || value === '') return `request.${field}: ${shown(value)}: is not a text`;
  }
  for (const field of OPTIONAL_TEXTS) {
    const value = own(request, field);
    if (!isAbsent(value) && typeof value !== 'string') return `request.${field}: ${shown(value)}: is not a text`;
  }
  for (const [field, parts] of Object.entries(REQUIRED_TRIPLES)) {
    const triple = own(request, field);
    if (!isRecord(triple)) return `request.${field}: ${shown(triple)}: is not an object`;
    for (const part of parts) {
      const value = own(triple, part);
      if (typeof value !== 'string') return `request.${field}.${part}: ${shown(value)}: is not a text`;
    }
  }
  const dryRun = own(request, 'dryRun');
  return isAbsent(dryRun) || typeof dryRun === 'boolean'
    ? undefined
    : `request.dryRun: ${shown(dryRun)}: is not a boolean`;
}

/** @param request without problems */
function requestOf(uid: string, request: Mapping): AdmissionRequest {
  return {
    uid,
    kind: own(request, 'kind') as GroupVersionKind,
    resource: own(request, 'resource') as GroupVersionResource,
    subResource: textOrEmpty(own(request, 'subResource')),
    operation: textOrEmpty(own(request, 'operation')),
    name: textOrEmpty(own(request, 'name')),
    namespace: textOrEmpty(own(request, 'namespace')),
    dryRun: own(request, 'dryRun') === true,
    object: own(request, 'object') ?? undefined,
    oldObject: own(request, 'oldObject') ?? undefined,
  };
}

function own(mapping: Mapping, field: string): unknown {
  return Object.hasOwn(mapping, field) ? mapping[field] : undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const MAX_SHOWN = 80;

function shown(value: unknown): string {
  if (value === undefined) return '(absent)';
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  return JSON.stringify(value).slice(0, MAX_SHOWN);
}
