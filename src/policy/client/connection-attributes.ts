import { optionalBool, optionalBytes, optionalString } from './attribute-value.js';
import type { AttributeReaders } from './derived-layer.js';

/** The proxy's facts about the connection of a request or of TCP traffic. */
export interface ConnectionFacts {
  /** Address of the client, when the proxy knows it, in network byte order: 4 or 16 bytes. */
  readonly originIp?: Uint8Array | undefined;
  readonly isMtls: boolean;
  /** Server name that the client asked for (SNI). */
  readonly requestedServerName?: string | undefined;
  /** Verified identity of the client: `spiffe://<trust domain>/ns/<namespace>/sa/<account>`, with or without scheme. */
  readonly sourcePrincipal?: string | undefined;
  /** Identity of this side, in the same form. */
  readonly destinationPrincipal?: string | undefined;
}

const SPIFFE_SCHEME = 'spiffe://';

/**
 * The attributes that HTTP and TCP share (docs/reference/policy-client.md#http-attributes,
 * docs/reference/policy-client.md#tcp-attributes).
 */
export const CONNECTION_READERS: AttributeReaders<{ readonly connection: ConnectionFacts }> = new Map([
  ['origin.ip', ({ connection }) => optionalBytes(connection.originIp)],
  ['connection.mtls', ({ connection }) => optionalBool(connection.isMtls)],
  ['connection.requested_server_name', ({ connection }) => optionalString(connection.requestedServerName)],
  ['source.principal', ({ connection }) => optionalString(withoutScheme(connection.sourcePrincipal))],
  ['source.user', ({ connection }) => optionalString(withoutScheme(connection.sourcePrincipal))],
  ['source.namespace', ({ connection }) => optionalString(namespaceOf(withoutScheme(connection.sourcePrincipal)))],
  ['destination.principal', ({ connection }) => optionalString(withoutScheme(connection.destinationPrincipal))],
]);

function withoutScheme(principal: string | undefined): string | undefined {
  return principal?.startsWith(SPIFFE_SCHEME) ? principal.slice(SPIFFE_SCHEME.length) : principal;
}

/** The namespace in `<trust domain>/ns/<namespace>/sa/<account>`; undefined for identities of any other form. */
function namespaceOf(principal: string | undefined): string | undefined {
  return principal === undefined ? undefined : /^[^/]*\/ns\/([^/]+)(?:\/|$)/.exec(principal)?.[1];
}
