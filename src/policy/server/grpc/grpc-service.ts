import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';

/** A service of the policy server's address. */
export interface GrpcService {
  /** Full name, also for the health service. */
  readonly name: string;
  readonly methods: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
  /** Ends streams that would go on for ever, well: the server is shutting down. */
  endStreams(): void;
}
