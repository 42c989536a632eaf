import type { EventEmitter } from 'node:events';
import type { Http2Server } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

type ListeningServer = EventEmitter & Pick<Http2Server, 'updateSettings'>;

/**
 * The HTTP/2 servers below a gRPC server. The field is not part of the interface of grpc-js: if a version names it
 * differently, the result is empty, and a test fails.
 */
export function http2ServersOf(server: Server): readonly ListeningServer[] {
  const servers: unknown = Reflect.get(server, 'http2Servers');
  return servers instanceof Map ? [...(servers as Map<ListeningServer, unknown>).keys()] : [];
}
