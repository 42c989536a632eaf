import type { Server } from '@grpc/grpc-js';
import type { RequestClass } from './guard/grpc-limits.js';

/** A service that a gRPC server serves beside others. */
export interface GrpcService {
  /** Full name, for the health service. */
  readonly name: string;
  addTo(server: Server): void;
  /** Methods with short requests, by path. */
  readonly requestClasses?: Readonly<Record<string, RequestClass>>;
  /** Ends long-lived streams with a proper status when the server shuts down. Absent if the service has none. */
  readonly endStreams?: () => void;
}
