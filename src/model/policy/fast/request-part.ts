import { type Dimension, parseDimension } from '../../../config/policy-server/dimension.js';
import type { Service } from '../../service.js';
import { serviceAttributesOf } from '../service-config.js';

/** A part of an HTTP request that a proxy can compare and count by, without the policy server. */
export type RequestPart =
  /** A header, or a pseudo-header of HTTP/2. */
  | { readonly type: 'header'; readonly name: string }
  /** The path without its query. It can be compared, but is no key. */
  | { readonly type: 'urlPath' }
  /** The first value of a query parameter, decoded. */
  | { readonly type: 'query'; readonly name: string }
  /** The IP address of the client. */
  | { readonly type: 'sourceAddress' }
  /** The verified identity of the client, without `spiffe://`. It can be compared by `exact` and `prefix`, but is no key. */
  | { readonly type: 'sourcePrincipal' }
  /** The same for all requests of the service. */
  | { readonly type: 'constant'; readonly text: string };

const HEADERS: ReadonlyMap<string, string> = new Map([
  ['request.method', ':method'],
  ['request.httpmethod', ':method'],
  ['request.host', ':authority'],
  ['request.path', ':path'],
  ['request.scheme', ':scheme'],
  ['request.useragent', 'user-agent'],
  ['request.referer', 'referer'],
]);

const SOURCE_ADDRESSES: ReadonlySet<string> = new Set(['source.ip', 'origin.ip']);
const SOURCE_PRINCIPALS: ReadonlySet<string> = new Set(['source.principal', 'source.user']);
const SERVICE_HOSTS: ReadonlySet<string> = new Set(['destination.service', 'target.service']);

/** Headers between proxies, which are no attributes (docs/reference/policy-client.md#forwarded-attributes). */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(['x-mesh-attributes', 'x-mesh-charge-receipt']);

/**
 * The part of an inbound request that an attribute stands for; undefined for an attribute that the proxy of the service
 * cannot see. `request.api_key` is not one part: see `apiKeyPlaces`.
 *
 * @param written an attribute, or an entry of a map: `request.headers[x-user]`
 */
export function requestPartOf(written: string, service: Service): RequestPart | undefined {
  const { attribute, mapKey } =
    parseDimension(written) ?? ({ attribute: written } as Pick<Dimension, 'attribute' | 'mapKey'>);
  if (mapKey !== undefined) return entryPart(attribute, mapKey);
  const header = HEADERS.get(attribute);
  if (header !== undefined) return { type: 'header', name: header };
  if (attribute === 'request.url_path') return { type: 'urlPath' };
  if (SOURCE_ADDRESSES.has(attribute)) return { type: 'sourceAddress' };
  if (SOURCE_PRINCIPALS.has(attribute)) return { type: 'sourcePrincipal' };
  if (attribute === 'context.reporter.kind') return { type: 'constant', text: 'inbound' };
  const name = SERVICE_HOSTS.has(attribute) ? 'destination.service.host' : attribute;
  const text = serviceAttributesOf(service).attributes?.[name]?.stringValue;
  return text === undefined ? undefined : { type: 'constant', text };
}

function entryPart(map: string, key: string): RequestPart | undefined {
  if (map === 'request.query_params') return { type: 'query', name: key };
  if (map !== 'request.headers' || key.startsWith(':') || HIDDEN_HEADERS.has(key)) return undefined;
  return { type: 'header', name: key };
}
