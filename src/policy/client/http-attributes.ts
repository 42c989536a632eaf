import type { AttributeLayer } from './attribute-bag.js';
import type { CompiledApiSpecs } from './compile-api-specs.js';
import { addConnectionAttributes, type ConnectionFacts } from './connection-attributes.js';
import type { HeaderMap } from './header-map.js';
import { LayerBuilder } from './layer-builder.js';
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

/**
 * The attributes that a request brings to its Check, Quota and Report (BEHAVIOUR 6, "HTTP check attributes").
 *
 * @param api of the service that is called, for API attributes and the API key (SPEC 2.8)
 */
export function deriveHttpAttributes(request: HttpRequestFacts, api: CompiledApiSpecs): AttributeLayer {
  const { headers, target, auth } = request;
  const layer = new LayerBuilder()
    .stringMap('request.headers', withoutForwarded(headers))
    .string('request.host', request.host)
    .string('request.method', request.method)
    // SPEC 2.5 and 2.9 know the method by this name, BEHAVIOUR 6 by the other: rules may be written with either.
    .string('request.httpmethod', request.method)
    .string('request.path', target)
    .string('request.url_path', urlPathOf(target))
    .stringMap('request.query_params', queryParameters(queryOf(target)))
    .string('request.scheme', request.scheme || 'http')
    .string('request.referer', headers.get('referer'))
    .string('request.useragent', headers.get('user-agent'))
    .timestamp('request.time', request.timeNs)
    .string('context.protocol', isGrpc(headers) ? 'grpc' : 'http')
    .string('request.api_key', api.apiKeyFor(target, headers));
  addConnectionAttributes(layer, request.connection);
  if (auth !== undefined) addAuthAttributes(layer, auth);
  return layer.all(api.attributesFor(request.method, target)).build();
}

function addAuthAttributes(layer: LayerBuilder, auth: RequestAuthFacts): void {
  layer
    .string('request.auth.principal', auth.principal)
    .string('request.auth.audiences', auth.audiences?.join(','))
    .string('request.auth.presenter', auth.presenter)
    .string('request.auth.raw_claims', auth.rawClaims)
    .stringMap('request.auth.claims', auth.claims);
}

function withoutForwarded(headers: HeaderMap): HeaderMap {
  if (!headers.has(FORWARDED_ATTRIBUTES_HEADER)) return headers;
  const others = new Map(headers);
  others.delete(FORWARDED_ATTRIBUTES_HEADER);
  return others;
}

function isGrpc(headers: HeaderMap): boolean {
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';', 1);
  return GRPC_CONTENT_TYPES.has(mediaType.trim().toLowerCase());
}
