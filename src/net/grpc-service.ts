import type { Server } from '@grpc/grpc-js';
import type { RequestClass } from './guard/grpc-limits.js';

/** A service that a gRPC server serves beside others. */
export interface GrpcService {
  /** Full name, for the health service. */
  readonly name: string;
  addTo(server: Server): void;
  /** Of methods with short requests, by path. */
  readonly requestClasses?: Readonly<Record<string, RequestClass>>;
  /** Ends streams that would go on for ever, well: the server is shutting down. Left out where there are none. */
  readonly endStreams?: () => void;
}
