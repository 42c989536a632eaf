/**
 * Application protocols (ALPN) that mutual TLS of the mesh is told by from a workload's own TLS, which no client offers
 * by itself, and by which an inbound port of unknown protocol knows what is inside.
 */

/** Bytes. Every client of the mesh offers it. */
export const MESH_TCP = 'mesh';

/** HTTP, of whichever version its first bytes say. Offered before `mesh`. */
export const MESH_HTTP = 'mesh-http';

/** What clients of HTTP offer. */
export const HTTP_CLIENT_PROTOCOLS: readonly string[] = [MESH_HTTP, MESH_TCP];

/** What clients of anything else offer. */
export const TCP_CLIENT_PROTOCOLS: readonly string[] = [MESH_TCP];

/** What HTTP servers agree to with clients that are not of the mesh and have a certificate of it. */
export const HTTP_SERVER_PROTOCOLS: readonly string[] = ['h2', 'http/1.1'];
