import { isRecord } from '../../base/record.js';
import { InjectionError } from './injection-error.js';

/** JSON as it was parsed. */
export type JsonMapping = Readonly<Record<string, unknown>>;

/** A container, a volume, a reference to a secret. */
export interface NamedItem extends JsonMapping {
  readonly name: string;
}

/** Lists of a pod's spec that injection adds to. */
export const ITEM_LISTS = ['initContainers', 'containers', 'volumes', 'imagePullSecrets'] as const;
export type ItemList = (typeof ITEM_LISTS)[number];

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly controller: boolean;
}

export type PodSpec = JsonMapping & { readonly [List in ItemList]?: readonly NamedItem[] };

/** What injection reads of a pod; everything else is carried along in `spec`. */
export interface Pod {
  /** Empty while there is only `generateName`. */
  readonly name: string;
  readonly generateName: string;
  /** Undefined where the pod has none at all, which a patch has to know. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly owners: readonly OwnerReference[];
  readonly spec: PodSpec;
}

/** What injection does with containers, volumes and so on takes longer the more there are, for each of them. */
const MAX_LIST_ITEMS = 1000;

/** Probes that the kubelet makes. */
export const PROBES = ['readinessProbe', 'livenessProbe', 'startupProbe'] as const;
export type ProbeField = (typeof PROBES)[number];

/**
 * Reads a pod out of an admission request.
 *
 * @throws InjectionError INVALID_POD for what no API server would send
 */
export function readPod(object: unknown): Pod {
  if (!isRecord(object)) throw invalid('object', 'is not a pod');
  const metadata = mappingOf(object, 'metadata', 'metadata') ?? {};
  const spec = mappingOf(object, 'spec', 'spec') ?? {};
  for (const list of ITEM_LISTS) checkItems(own(spec, list), `spec.${list}`, list !== 'imagePullSecrets');
  return {
    name: textOf(metadata, 'name'),
    generateName: textOf(metadata, 'generateName'),
    labels: textsOf(metadata, 'labels'),
    annotations: textsOf(metadata, 'annotations'),
    owners: ownersOf(metadata),
    spec: spec as PodSpec,
  };
}

/** A field of parsed JSON; what objects inherit is none. */
export function own(mapping: JsonMapping, field: string): unknown {
  return Object.hasOwn(mapping, field) ? mapping[field] : undefined;
}

/** A mapping of mappings, to be read as one that lacks what it lacks. */
export function ownMapping(mapping: JsonMapping, field: string): JsonMapping | undefined {
  const value = own(mapping, field);
  return isRecord(value) ? value : undefined;
}

/** The mappings of a list; empty where there is no list. */
export function ownMappings(mapping: JsonMapping, field: string): readonly JsonMapping[] {
  const value = own(mapping, field);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function mappingOf(parent: JsonMapping, field: string, path: string): JsonMapping | undefined {
  const value = own(parent, field) ?? undefined;
  if (value === undefined || isRecord(value)) return value;
  throw invalid(path, 'is not an object');
}

function textOf(metadata: JsonMapping, field: string): string {
  const value = own(metadata, field) ?? '';
  if (typeof value !== 'string') throw invalid(`metadata.${field}`, 'is not a text');
  return value;
}

function textsOf(metadata: JsonMapping, field: string): Readonly<Record<string, string>> | undefined {
  const value = mappingOf(metadata, field, `metadata.${field}`);
  if (value === undefined) return undefined;
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw invalid(`metadata.${field}[${JSON.stringify(key)}]`, 'is not a text');
  }
  return value as Readonly<Record<string, string>>;
}

function ownersOf(metadata: JsonMapping): readonly OwnerReference[] {
  return ownMappings(metadata, 'ownerReferences').map((owner) => {
    const text = (field: string): string => {
      const value = own(owner, field);
      return typeof value === 'string' ? value : '';
    };
    return {
      apiVersion: text('apiVersion'),
      kind: text('kind'),
      name: text('name'),
      controller: own(owner, 'controller') === true,
    };
  });
}

function checkItems(value: unknown, path: string, needsName: boolean): void {
  if (value === undefined || value === null) return;
  if (!Array.isArray(value)) throw invalid(path, 'is not a list');
  if (value.length > MAX_LIST_ITEMS) throw invalid(path, `has ${value.length} items; ${MAX_LIST_ITEMS} are the most`);
  for (const [index, item] of value.entries()) {
    if (!isRecord(item)) throw invalid(`${path}[${index}]`, 'is not an object');
    const name = own(item, 'name');
    if (typeof name !== 'string' && (needsName || name !== undefined))
      throw invalid(`${path}[${index}].name`, 'is not a text');
  }
}

function invalid(path: string, message: string): InjectionError {
  return new InjectionError('INVALID_POD', `could not read the pod: ${path}: ${message}`);
}
