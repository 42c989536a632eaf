import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { encodeRootsSecret } from '../../envoy/secret.js';
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

export function createSecretService(
  source: SecretSource,
  parts: Omit<SecretStreamParts, 'encodeRoots'>,
): SecretService {
  const streamParts = { ...parts, encodeRoots: createRootsEncoder(parts.encoder) };
  return {
    isFor: (identity) => source.isFor(identity),
    open: (identity, connection) => new SecretStream(streamParts, connection, source.open(identity)),
  };
}

/** Everybody trusts the same roots at a time: encoded once, and held once. */
function createRootsEncoder(encoder: MessageEncoder): (pem: string) => EncodedResource {
  let last: { readonly pem: string; readonly resource: EncodedResource } | undefined;
  return (pem) => {
    if (last?.pem !== pem) last = { pem, resource: encodeRootsSecret(encoder, pem) };
    return last.resource;
  };
}
