import type { AttributeLayer } from './attribute-bag.js';
import {
  type AttributeValue,
  int64Attribute,
  optionalBytes,
  optionalString,
  optionalStringMap,
  stringAttribute,
  timestampAttribute,
} from './attribute-value.js';
import type { CompiledApiSpecs } from './compile-api-specs.js';
import { CONNECTION_READERS, type ConnectionFacts } from './connection-attributes.js';
import { type AttributeReader, DerivedLayer } from './derived-layer.js';
import type { HeaderMap } from './header-map.js';
import { MapWithout } from './map-without.js';
import { queryOf, queryParameters, urlPathOf } from './request-target.js';

/**
 * The header with forwarded attributes (docs/reference/policy-client.md#forwarded-attributes). The header itself is not
 * an attribute.
 */
const FORWARDED_ATTRIBUTES_HEADER = 'x-mesh-attributes';

/** The claims of a verified token. */
export interface RequestAuthFacts {
  /** `<issuer>/<subject>`. */
  readonly principal?: string;
  readonly audiences?: readonly string[];
  /** Authorized presenter: the claim `azp`. */
  readonly presenter?: string;
  /** The payload of the token, as JSON. */
  readonly rawClaims?: string;
  readonly claims?: ReadonlyMap<string, string>;
}

/** A request as a proxy sees it, in no proxy's own terms. */
export interface HttpRequestFacts {
  readonly method: string;
  /** `:authority`, or the header `host`. */
  readonly host: string;
  /** `:path`, with its query. */
  readonly target: string;
  /** `http` when left out. */
  readonly scheme?: string | undefined;
  readonly headers: HeaderMap;
  /** When its headers were read, in nanoseconds since 1970-01-01T00:00:00Z. */
  readonly timeNs: bigint;
  readonly connection: ConnectionFacts;
  readonly auth?: RequestAuthFacts | undefined;
}

/** A media type, perhaps with parameters. */
const GRPC_CONTENT_TYPE = /^\s*application\/grpc(?:\+proto|\+json)?\s*(?:;|$)/i;

/** A request and the API of its service, which knows where the key is. */
interface ApiRequest {
  readonly request: HttpRequestFacts;
  readonly connection: ConnectionFacts;
  readonly api: Pick<CompiledApiSpecs, 'apiKeyFor'>;
}

const HTTP_READERS = new Map<string, AttributeReader<ApiRequest>>([
  ['request.headers', ({ request: { headers } }) => optionalStringMap(withoutForwarded(headers))],
  ['request.host', ({ request: { host } }) => optionalString(host)],
  ['request.method', ({ request: { method } }) => optionalString(method)],
  // docs/reference/policy-kinds.md#attributematch and docs/reference/policy-kinds.md#attributes know the method by this
  // name, docs/reference/policy-client.md#http-attributes by the other: rules may be written with either.
  ['request.httpmethod', ({ request: { method } }) => optionalString(method)],
  ['request.path', ({ request: { target } }) => optionalString(target)],
  ['request.url_path', ({ request: { target } }) => optionalString(urlPathOf(target))],
  ['request.query_params', ({ request: { target } }) => optionalStringMap(queryParameters(queryOf(target)))],
  ['request.scheme', ({ request: { scheme } }) => stringAttribute(scheme || 'http')],
  ['request.referer', ({ request: { headers } }) => optionalString(headers.get('referer'))],
  ['request.useragent', ({ request: { headers } }) => optionalString(headers.get('user-agent'))],
  ['request.size', ({ request: { headers } }) => contentLength(headers.get('content-length'))],
  ['source.ip', ({ connection: { originIp } }) => optionalBytes(originIp)],
  ['request.time', ({ request: { timeNs } }) => timestampAttribute(timeNs)],
  ['context.protocol', ({ request: { headers } }) => stringAttribute(isGrpc(headers) ? 'grpc' : 'http')],
  ['request.api_key', ({ api, request: { target, headers } }) => optionalString(api.apiKeyFor(target, headers))],
  ...CONNECTION_READERS,
  ['request.auth.principal', ({ request: { auth } }) => optionalString(auth?.principal)],
  ['request.auth.audiences', ({ request: { auth } }) => optionalString(auth?.audiences?.join(','))],
  ['request.auth.presenter', ({ request: { auth } }) => optionalString(auth?.presenter)],
  ['request.auth.raw_claims', ({ request: { auth } }) => optionalString(auth?.rawClaims)],
  ['request.auth.claims', ({ request: { auth } }) => optionalStringMap(auth?.claims)],
]);

/**
 * The attributes of a request for its Check, Quota and Report (docs/reference/policy-client.md#http-attributes).
 *
 * @param api of the called service, for API attributes and the API key (docs/reference/policy-kinds.md#api-keys)
 * @param operation attributes of the API operation, when the caller knows them
 */
export function deriveHttpAttributes(
  request: HttpRequestFacts,
  api: Pick<CompiledApiSpecs, 'apiKeyFor' | 'attributesFor'>,
  operation: AttributeLayer = api.attributesFor(request.method, request.target),
): AttributeLayer {
  const { connection } = request;
  return new DerivedLayer<ApiRequest>({ request, connection, api }, HTTP_READERS, operation);
}

function withoutForwarded(headers: HeaderMap): HeaderMap {
  if (!headers.has(FORWARDED_ATTRIBUTES_HEADER)) return headers;
  return new MapWithout(headers, FORWARDED_ATTRIBUTES_HEADER);
}

/** Undefined for a body of unknown length. */
function contentLength(text: string | undefined): AttributeValue | undefined {
  return text !== undefined && /^[0-9]{1,18}$/.test(text) ? int64Attribute(BigInt(text)) : undefined;
}

function isGrpc(headers: HeaderMap): boolean {
  const contentType = headers.get('content-type');
  return contentType !== undefined && GRPC_CONTENT_TYPE.test(contentType);
}
