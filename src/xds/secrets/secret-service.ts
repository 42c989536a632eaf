import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { encodeRootsSecret } from '../../envoy/secret.js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import { createUncachedResponses } from '../../push/response-cache.js';
import { type SecretConnection, SecretResources, type SecretResourcesParts } from './secret-resources.js';

/** What a workload proves who it is with, and whom it trusts. All PEM. */
export interface WorkloadCertificate {
  /** The leaf, then the intermediates. */
  readonly chain: string;
  readonly privateKey: string;
  /** Every root that is trusted. */
  readonly roots: string;
}

/** The secrets of one connection, made for it alone. */
export interface ConnectionSecrets {
  /** Undefined until there is a first certificate. A new object whenever anything of it is another. */
  current(): WorkloadCertificate | undefined;
  /** Called after `current` has changed: in time before it expires, and when roots come and go. @returns ends it. */
  onChange(listener: () => void): () => void;
  /** The connection is gone: forgets the key. */
  close(): void;
}

/** Where the secrets of workloads come from. */
export interface SecretSource {
  /** Whether there are secrets for that identity: not for one that another trust domain vouches for. */
  isFor(identity: WorkloadIdentity): boolean;
  /** @param identity proven by the connection */
  open(identity: WorkloadIdentity): ConnectionSecrets;
}

/** Provides secrets to connections whose identity is proven (SDS). */
export interface SecretService {
  /** Whether the identity has secrets; nothing is opened for others. */
  isFor(identity: WorkloadIdentity): boolean;
  /**
   * Opens the secrets of one connection. Close them with it.
   *
   * @param identity proven by the connection
   */
  open(identity: WorkloadIdentity, connection: SecretConnection): SecretResources;
}

export interface SecretServiceParts extends Pick<SecretResourcesParts, 'encoder' | 'clock' | 'logger'> {
  /** ControlPlane.identifier of every response. */
  readonly controlPlane: string;
}

export function createSecretService(source: SecretSource, parts: SecretServiceParts): SecretService {
  const { encoder, clock, logger, controlPlane } = parts;
  const responses = createUncachedResponses(controlPlane);
  const resourcesParts = { encoder, clock, logger, responses, encodeRoots: createRootsEncoder(encoder) };
  return {
    isFor: (identity) => source.isFor(identity),
    open: (identity, connection) => new SecretResources(resourcesParts, connection, source.open(identity)),
  };
}

/** All proxies trust the same roots: they are encoded once, and kept once. */
function createRootsEncoder(encoder: MessageEncoder): (pem: string) => EncodedResource {
  let last: { readonly pem: string; readonly resource: EncodedResource } | undefined;
  return (pem) => {
    if (last?.pem !== pem) last = { pem, resource: encodeRootsSecret(encoder, pem) };
    return last.resource;
  };
}
