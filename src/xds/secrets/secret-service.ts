import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { encodeRootsSecret } from '../../envoy/secret.js';
import type { CredentialProblem, CredentialStore } from '../../model/gateways/credential.js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import { createUncachedResponses } from '../../push/response-cache.js';
import { createSubjectLog } from '../../telemetry/subject-log.js';
import { type ConnectionCredentials, createConnectionCredentials } from './connection-credentials.js';
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
  /** The credentials that connected routers need, and that are missing, malformed or expired; by router. */
  credentialProblems(): readonly CredentialProblem[];
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
  const open = new Set<ConnectionCredentials>();
  const resourcesParts = { encoder, clock, logger, responses, encodeRoots: createRootsEncoder(encoder) };
  return {
    isFor: (identity) => source.isFor(identity),
    credentialProblems: () => [...open].flatMap((credentials) => credentials.problems()),
    open: (identity, connection) =>
      new SecretResources(resourcesParts, connection, source.open(identity), (onChange) => {
        const credentials = createConnectionCredentials({
          store: parts.credentials,
          encoder,
          namespace: identity.namespace,
          isRouter: connection.isRouter,
          usersOfCredential: (name) => connection.usersOfCredential(name),
          onChange,
          log,
          onRefused: () => parts.onCredentialRefused?.(),
          nowMs: () => clock.now().getTime(),
        });
        if (!connection.isRouter) return credentials;
        open.add(credentials);
        return {
          ...credentials,
          close: () => {
            open.delete(credentials);
            credentials.close();
          },
        };
      }),
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
