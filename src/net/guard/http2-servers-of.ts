import type { EventEmitter } from 'node:events';
import type { Server } from '@grpc/grpc-js';

/**
 * The HTTP/2 servers under a gRPC server; none where grpc-js is built otherwise than we know it, for the field is not
 * part of its interface. Tests notice.
 */
export function http2ServersOf(server: Server): readonly EventEmitter[] {
  const servers: unknown = Reflect.get(server, 'http2Servers');
  return servers instanceof Map ? [...(servers as Map<EventEmitter, unknown>).keys()] : [];
}
