import type { Server } from '@grpc/grpc-js';

/** A service that a gRPC server serves beside others. */
export interface GrpcService {
  /** Full name, for the health service. */
  readonly name: string;
  addTo(server: Server): void;
  /** Ends streams that would go on for ever, well: the server is shutting down. Left out where there are none. */
  readonly endStreams?: () => void;
}
