import type { AttributeLayer } from './attribute-bag.js';
import { stringAttribute, timestampAttribute } from './attribute-value.js';
import type { CompiledApiSpecs } from './compile-api-specs.js';
import { CONNECTION_READERS, type ConnectionFacts } from './connection-attributes.js';
import { type AttributeReader, DerivedLayer } from './derived-layer.js';
import type { HeaderMap } from './header-map.js';
import { MapWithout } from './map-without.js';
import { optionalString, optionalStringMap } from './optional-attribute.js';
import { queryOf, queryParameters, urlPathOf } from './request-target.js';

/** Header that carries forwarded attributes (BEHAVIOUR 6, "Header"). It is no attribute itself. */
const FORWARDED_ATTRIBUTES_HEADER = 'x-mesh-attributes';

/** What a verified token says of the caller. */
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
  readonly scheme?: string;
  readonly headers: HeaderMap;
  /** When its headers were read, in nanoseconds since 1970-01-01T00:00:00Z. */
  readonly timeNs: bigint;
  readonly connection: ConnectionFacts;
  readonly auth?: RequestAuthFacts;
}

const GRPC_CONTENT_TYPES: ReadonlySet<string> = new Set([
  'application/grpc',
  'application/grpc+proto',
  'application/grpc+json',
]);

/** A request and the API of its service, which knows where the key is. */
interface ApiRequest extends HttpRequestFacts {
  readonly api: CompiledApiSpecs;
}

const HTTP_READERS = new Map<string, AttributeReader<ApiRequest>>([
  ['request.headers', ({ headers }) => optionalStringMap(withoutForwarded(headers))],
  ['request.host', ({ host }) => optionalString(host)],
  ['request.method', ({ method }) => optionalString(method)],
  // SPEC 2.5 and 2.9 know the method by this name, BEHAVIOUR 6 by the other: rules may be written with either.
  ['request.httpmethod', ({ method }) => optionalString(method)],
  ['request.path', ({ target }) => optionalString(target)],
  ['request.url_path', ({ target }) => optionalString(urlPathOf(target))],
  ['request.query_params', ({ target }) => optionalStringMap(queryParameters(queryOf(target)))],
  ['request.scheme', ({ scheme }) => stringAttribute(scheme || 'http')],
  ['request.referer', ({ headers }) => optionalString(headers.get('referer'))],
  ['request.useragent', ({ headers }) => optionalString(headers.get('user-agent'))],
  ['request.time', ({ timeNs }) => timestampAttribute(timeNs)],
  ['context.protocol', ({ headers }) => stringAttribute(isGrpc(headers) ? 'grpc' : 'http')],
  ['request.api_key', ({ api, target, headers }) => optionalString(api.apiKeyFor(target, headers))],
  ...CONNECTION_READERS,
  ['request.auth.principal', ({ auth }) => optionalString(auth?.principal)],
  ['request.auth.audiences', ({ auth }) => optionalString(auth?.audiences?.join(','))],
  ['request.auth.presenter', ({ auth }) => optionalString(auth?.presenter)],
  ['request.auth.raw_claims', ({ auth }) => optionalString(auth?.rawClaims)],
  ['request.auth.claims', ({ auth }) => optionalStringMap(auth?.claims)],
]);

/**
 * The attributes that a request brings to its Check, Quota and Report (BEHAVIOUR 6, "HTTP check attributes").
 *
 * @param api of the service that is called, for API attributes and the API key (SPEC 2.8)
 */
export function deriveHttpAttributes(request: HttpRequestFacts, api: CompiledApiSpecs): AttributeLayer {
  return new DerivedLayer({ ...request, api }, HTTP_READERS, api.attributesFor(request.method, request.target));
}

function withoutForwarded(headers: HeaderMap): HeaderMap {
  if (!headers.has(FORWARDED_ATTRIBUTES_HEADER)) return headers;
  return new MapWithout(headers, FORWARDED_ATTRIBUTES_HEADER);
}

function isGrpc(headers: HeaderMap): boolean {
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';', 1);
  return GRPC_CONTENT_TYPES.has(mediaType.trim().toLowerCase());
}
