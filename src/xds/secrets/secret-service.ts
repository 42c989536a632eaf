import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { encodeRootsSecret } from '../../envoy/secret.js';
import type { CredentialStore } from '../../model/gateways/credential.js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import { createUncachedResponses } from '../../push/response-cache.js';
import { createSubjectLog } from '../../telemetry/subject-log.js';
import { createConnectionCredentials } from './connection-credentials.js';
import { type SecretConnection, SecretResources, type SecretResourcesParts } from './secret-resources.js';

/** The certificate and key of a workload, and its trusted roots. All PEM. */
export interface WorkloadCertificate {
  /** The leaf, then the intermediates. */
  readonly chain: string;
  readonly privateKey: string;
  /** All trusted roots. */
  readonly roots: string;
}

/** The secrets of one connection, made for it alone. */
export interface ConnectionSecrets {
  /** Undefined before the first certificate. A new object after each change. */
  current(): WorkloadCertificate | undefined;
  /** Calls back after `current` has changed: before the certificate expires, and when the roots change. */
  onChange(listener: () => void): () => void;
  /** The connection has ended: forgets the key. */
  close(): void;
}

/** Has or makes the secrets of workloads. */
export interface SecretSource {
  /** Whether the identity has secrets. Identities of other trust domains have none. */
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
  /** The credentials of Gateways. Default: none. */
  readonly credentials?: CredentialStore;
  /** Called when a router does not get a credential that it asked for, because it is missing or malformed. */
  readonly onCredentialRefused?: () => void;
}

export function createSecretService(source: SecretSource, parts: SecretServiceParts): SecretService {
  const { encoder, clock, logger, controlPlane } = parts;
  const responses = createUncachedResponses(controlPlane);
  const log = createSubjectLog(logger, clock);
  const resourcesParts = { encoder, clock, logger, responses, encodeRoots: createRootsEncoder(encoder) };
  return {
    isFor: (identity) => source.isFor(identity),
    open: (identity, connection) =>
      new SecretResources(resourcesParts, connection, source.open(identity), (onChange) =>
        createConnectionCredentials({
          store: parts.credentials,
          encoder,
          namespace: identity.namespace,
          isRouter: connection.isRouter,
          usesCredential: (name) => connection.usesCredential(name),
          onChange,
          log,
          onRefused: () => parts.onCredentialRefused?.(),
        }),
      ),
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
