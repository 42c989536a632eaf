import type { BoundHttpApiSpec } from '../../../config/policy/bound-specs.js';
import type { Service } from '../../service.js';
import { type RequestPart, requestPartOf } from './request-part.js';

/** A dimension of a limit, as the proxy finds its value in a request. */
export type BucketKey =
  | { readonly type: 'constant'; readonly dimension: string; readonly text: string }
  | {
      readonly type: 'found';
      readonly dimension: string;
      /** The first place with a usable value counts. */
      readonly places: readonly KeyPlace[];
    };

export interface KeyPlace {
  readonly part: Extract<RequestPart, { readonly type: 'header' | 'query' | 'sourceAddress' }>;
  /** Whether a value may have commas. A header that comes several times has them. */
  readonly takesCommas: boolean;
}

/** The HTTPAPISpecs of a service, as far as keys depend on them. */
export interface ServiceApi {
  /** In their order; undefined where they depend on the workload. */
  readonly keyPlaces: readonly KeyPlace[] | undefined;
  /** Attributes that the operations of the API set: proxies do not know the operation. */
  readonly attributes: ReadonlySet<string>;
}

const API_KEY = 'request.api_key';

/** The places without an HTTPAPISpec that names some (docs/reference/policy-kinds.md#api-keys). */
const DEFAULT_PLACES: readonly KeyPlace[] = [queryPlace('key'), queryPlace('api_key'), headerPlace('x-api-key')];

export function serviceApiOf(specs: readonly BoundHttpApiSpec[]): ServiceApi {
  const places = specs.flatMap(({ apiKeys }) => apiKeys);
  const dependsOnWorkload = specs.some(({ apiKeys, workloads }) => apiKeys.length > 0 && workloads !== undefined);
  const named = places.flatMap(({ query, header }) => [
    ...(query === undefined ? [] : [queryPlace(query)]),
    // Pseudo-headers are no headers of a request.
    ...(header === undefined || header.startsWith(':') ? [] : [headerPlace(header.toLowerCase())]),
  ]);
  const attributes = specs.flatMap((spec) =>
    [spec, ...spec.patterns].flatMap((each) => Object.keys(each.attributes?.attributes ?? {})),
  );
  return {
    keyPlaces: dependsOnWorkload ? undefined : places.length === 0 ? DEFAULT_PLACES : named,
    attributes: new Set(attributes),
  };
}

/** @returns undefined for a dimension that proxies cannot see */
export function bucketKeyOf(
  dimension: string,
  service: Service,
  { keyPlaces, attributes }: ServiceApi,
): BucketKey | undefined {
  if (attributes.has(dimension)) return undefined;
  if (dimension === API_KEY) return keyPlaces && { type: 'found', dimension, places: keyPlaces };
  const part = requestPartOf(dimension, service);
  switch (part?.type) {
    case 'constant':
      return { type: 'constant', dimension, text: part.text };
    case 'header':
    case 'query':
    case 'sourceAddress':
      return { type: 'found', dimension, places: [{ part, takesCommas: true }] };
    case 'urlPath':
    case 'sourcePrincipal':
    case undefined:
      return undefined;
  }
}

function queryPlace(name: string): KeyPlace {
  return { part: { type: 'query', name }, takesCommas: true };
}

/** Of several values only the first is the key, and proxies see all in one text: such a request has no key for them. */
function headerPlace(name: string): KeyPlace {
  return { part: { type: 'header', name }, takesCommas: false };
}
