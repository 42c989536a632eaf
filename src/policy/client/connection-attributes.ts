import type { LayerBuilder } from './layer-builder.js';

/** What the proxy knows of the connection that a request or TCP traffic came on. */
export interface ConnectionFacts {
  /** Address of the client as far as the proxy can tell, in network byte order: 4 bytes or 16. */
  readonly originIp?: Uint8Array;
  readonly isMtls: boolean;
  /** Server name that the client asked for (SNI). */
  readonly requestedServerName?: string;
  /** Verified identity of the client: `spiffe://<trust domain>/ns/<namespace>/sa/<account>`, with or without scheme. */
  readonly sourcePrincipal?: string;
  /** Identity of this side, in the same form. */
  readonly destinationPrincipal?: string;
}

const SPIFFE_SCHEME = 'spiffe://';

/** Adds what HTTP and TCP have in common (BEHAVIOUR 6, "HTTP check attributes" and "TCP"). */
export function addConnectionAttributes(layer: LayerBuilder, connection: ConnectionFacts): LayerBuilder {
  const sourcePrincipal = withoutScheme(connection.sourcePrincipal);
  return layer
    .bytes('origin.ip', connection.originIp)
    .bool('connection.mtls', connection.isMtls)
    .string('connection.requested_server_name', connection.requestedServerName)
    .string('source.principal', sourcePrincipal)
    .string('source.user', sourcePrincipal)
    .string('source.namespace', namespaceOf(sourcePrincipal))
    .string('destination.principal', withoutScheme(connection.destinationPrincipal));
}

function withoutScheme(principal: string | undefined): string | undefined {
  return principal?.startsWith(SPIFFE_SCHEME) ? principal.slice(SPIFFE_SCHEME.length) : principal;
}

/** The namespace in `<trust domain>/ns/<namespace>/sa/<account>`; undefined for identities of any other form. */
function namespaceOf(principal: string | undefined): string | undefined {
  return principal === undefined ? undefined : /^[^/]*\/ns\/([^/]+)(?:\/|$)/.exec(principal)?.[1];
}
