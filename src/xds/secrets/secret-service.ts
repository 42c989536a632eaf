import type { WorkloadIdentity } from '../../model/identity/spiffe-id.js';
import type { SecretSource } from './secret-source.js';
import { type SecretConnection, SecretStream, type SecretStreamParts } from './secret-stream.js';

/** Serves secrets to connections whose identity is proven (SDS; DESIGN 8). */
export interface SecretService {
  /** Whether there are any for it; nothing is opened for others. */
  isFor(identity: WorkloadIdentity): boolean;
  /** @param identity proven by the connection. Close the stream with it. */
  open(identity: WorkloadIdentity, connection: SecretConnection): SecretStream;
}

export function createSecretService(source: SecretSource, parts: SecretStreamParts): SecretService {
  return {
    isFor: (identity) => source.isFor(identity),
    open: (identity, connection) => new SecretStream(parts, connection, source.open(identity)),
  };
}
