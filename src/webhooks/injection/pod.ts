import { isRecord } from '../../base/record.js';
import { InjectionError } from './injection-error.js';

/** A parsed JSON object. */
export type JsonMapping = Readonly<Record<string, unknown>>;

/** A container, a volume or a reference to a secret. */
export interface NamedItem extends JsonMapping {
  readonly name: string;
}

/** Lists of a pod's spec to which injection adds items. */
export const ITEM_LISTS = ['initContainers', 'containers', 'volumes', 'imagePullSecrets'] as const;
export type ItemList = (typeof ITEM_LISTS)[number];
/** The lists of containers. */
export const CONTAINER_LISTS = ['initContainers', 'containers'] as const satisfies readonly ItemList[];
export type ContainerList = (typeof CONTAINER_LISTS)[number];

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly controller: boolean;
}

export type PodSpec = JsonMapping & { readonly [List in ItemList]?: readonly NamedItem[] };

/** The fields of a pod that injection reads. `spec` keeps all its other fields. */
export interface ReviewedPod {
  /** Empty if the pod has only a `generateName`. */
  readonly name: string;
  readonly generateName: string;
  /** Undefined if the pod has no labels: a patch must then create the mapping. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly owners: readonly OwnerReference[];
  readonly spec: PodSpec;
}

/** Maximum of each list: the time of an injection grows with the square of its length. */
const MAX_LIST_ITEMS = 1000;

/** Fields of a container with probes of the kubelet. */
export const PROBES = ['readinessProbe', 'livenessProbe', 'startupProbe'] as const;
export type ProbeField = (typeof PROBES)[number];

/**
 * Reads the pod in an admission request.
 *
 * @throws InjectionError INVALID_POD for an object that no API server would send
 */
export function readPod(object: unknown): ReviewedPod {
  if (!isRecord(object)) throw invalid('object', 'is not a pod');
  const metadata = readMapping(object, 'metadata', 'metadata') ?? {};
  const spec = readMapping(object, 'spec', 'spec') ?? {};
  for (const list of ITEM_LISTS) checkItems(own(spec, list), `spec.${list}`, list !== 'imagePullSecrets');
  return {
    name: readText(metadata, 'name'),
    generateName: readText(metadata, 'generateName'),
    labels: readTexts(metadata, 'labels'),
    annotations: readTexts(metadata, 'annotations'),
    owners: readOwners(metadata),
    spec: spec as PodSpec,
  };
}

/** An own field of parsed JSON; inherited fields count as absent. */
export function own(mapping: JsonMapping, field: string): unknown {
  return Object.hasOwn(mapping, field) ? mapping[field] : undefined;
}

/** An own field that is a mapping; undefined otherwise. */
export function ownMapping(mapping: JsonMapping, field: string): JsonMapping | undefined {
  const value = own(mapping, field);
  return isRecord(value) ? value : undefined;
}

/** The mappings in a list field; empty if the field is not a list. */
export function ownMappings(mapping: JsonMapping, field: string): readonly JsonMapping[] {
  const value = own(mapping, field);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function readMapping(parent: JsonMapping, field: string, path: string): JsonMapping | undefined {
  const value = own(parent, field) ?? undefined;
  if (value === undefined || isRecord(value)) return value;
  throw invalid(path, 'is not an object');
}

function readText(metadata: JsonMapping, field: string): string {
  const value = own(metadata, field) ?? '';
  if (typeof value !== 'string') throw invalid(`metadata.${field}`, 'is not a text');
  return value;
}

function readTexts(metadata: JsonMapping, field: string): Readonly<Record<string, string>> | undefined {
  const value = readMapping(metadata, field, `metadata.${field}`);
  if (value === undefined) return undefined;
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw invalid(`metadata.${field}[${JSON.stringify(key)}]`, 'is not a text');
  }
  return value as Readonly<Record<string, string>>;
}

function readOwners(metadata: JsonMapping): readonly OwnerReference[] {
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
  if (value.length > MAX_LIST_ITEMS) throw invalid(path, `has ${value.length} items; the maximum is ${MAX_LIST_ITEMS}`);
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
