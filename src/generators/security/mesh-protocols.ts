/**
 * Application protocols (ALPN) of the mesh's mutual TLS. Only clients of the mesh offer them, so a server can tell the
 * mesh's TLS from a workload's own, and an inbound port of unknown protocol learns what the connection carries.
 */

/** Bytes. Every client of the mesh offers it. */
export const MESH_TCP = 'mesh';

/** HTTP; the first bytes show its version. Offered before `mesh`. */
export const MESH_HTTP = 'mesh-http';

/** What clients of HTTP offer. */
export const HTTP_CLIENT_PROTOCOLS: readonly string[] = [MESH_HTTP, MESH_TCP];

/** Offered by clients of other protocols. */
export const TCP_CLIENT_PROTOCOLS: readonly string[] = [MESH_TCP];

/** Accepted by HTTP servers from clients outside the mesh that have a certificate of it. */
export const HTTP_SERVER_PROTOCOLS: readonly string[] = ['h2', 'http/1.1'];
