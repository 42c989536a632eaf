/** The property of a request or connection that a condition of an AuthorizationPolicy compares. */
export type ConditionKey =
  | { readonly type: 'header'; readonly name: string }
  | { readonly type: 'claim'; readonly path: readonly string[] }
  /** Metadata that a filter of the proxy has set. */
  | { readonly type: 'filter'; readonly filter: string; readonly key: string }
  | { readonly type: (typeof PLAIN_KEYS)[number] };

const PLAIN_KEYS = [
  'source.ip',
  'source.namespace',
  'source.principal',
  'request.auth.principal',
  'request.auth.audiences',
  'request.auth.presenter',
  'destination.ip',
  'destination.port',
  'connection.sni',
] as const;

/** The keys as a message lists them. */
export const KNOWN_CONDITION_KEYS: readonly string[] = [
  'request.headers[<name>]',
  ...PLAIN_KEYS,
  'request.auth.claims[<name>]',
  'experimental.proxy.filters.<filter>[<key>]',
];

const HEADER = /^request\.headers\[(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+)\]$/;
const CLAIM = /^request\.auth\.claims((?:\[[^[\]]+\])+)$/;
const FILTER = /^experimental\.proxy\.(filters\.[^[\]\s]+)\[([^[\]]+)\]$/;

/**
 * Reads the `key` of a condition (docs/reference/validation-rules.md#authorizationpolicy).
 *
 * @returns undefined for a key that no request has
 */
export function parseConditionKey(text: string): ConditionKey | undefined {
  const plain = PLAIN_KEYS.find((key) => key === text);
  if (plain !== undefined) return { type: plain };
  const [, header] = HEADER.exec(text) ?? [];
  if (header !== undefined) return { type: 'header', name: header.toLowerCase() };
  const [, claims] = CLAIM.exec(text) ?? [];
  if (claims !== undefined) return { type: 'claim', path: claims.slice(1, -1).split('][') };
  const [, filter, key] = FILTER.exec(text) ?? [];
  // The mesh's name of a filter of Envoy.
  return filter === undefined || key === undefined ? undefined : { type: 'filter', filter: `envoy.${filter}`, key };
}
