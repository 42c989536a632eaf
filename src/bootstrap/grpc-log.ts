import { setLogger } from '@grpc/grpc-js';
import type { Logging } from '../telemetry/logging.js';

/** Takes what grpc-js says into the log: it writes to the console unless told otherwise. */
export function routeGrpcLog(logging: Logging): void {
  const logger = logging.scope('grpcAdapter');
  const text = (parts: readonly unknown[]): string => parts.map(String).join(' ');
  setLogger({
    error: (...parts: unknown[]) => logger.debug({ detail: text(parts) }, 'gRPC library reports an error'),
    info: (...parts: unknown[]) => logger.debug({ detail: text(parts) }, 'gRPC library reports'),
    debug: (...parts: unknown[]) => logger.debug({ detail: text(parts) }, 'gRPC library reports'),
  });
}
