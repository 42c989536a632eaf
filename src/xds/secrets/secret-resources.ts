import type { Clock } from '../../base/clock.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { EMPTY_RESOURCE_SET, nextResourceSet, type ResourceSet } from '../../envoy/resource-set.js';
import { encodeWorkloadSecret, ROOTS_SECRET, WORKLOAD_SECRET } from '../../envoy/secret.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { AskedCredential } from '../../model/gateways/credential-names.js';
import type { CredentialUser } from '../../model/gateways/credential-references.js';
import { UNCACHED_DIFFS } from '../../push/diff-cache.js';
import type { NameSet } from '../../push/name-set.js';
import type { ResponseCache } from '../../push/response-cache.js';
import type { Work } from '../../push/work.js';
import type { Logger } from '../../telemetry/logger.js';
import type { ResourceProvider } from '../resource-provider.js';
import { shorten } from '../shorten.js';
import type { ConnectionCredentials } from './connection-credentials.js';
import type { ConnectionSecrets, WorkloadCertificate } from './secret-service.js';

/** The connection that the secrets are made for. */
export interface SecretConnection {
  /** For logs. */
  readonly connectionId: string;
  readonly isRouter: boolean;
  /** The fields of objects that make the proxy need a credential (`credentialName`). */
  usersOfCredential(asked: AskedCredential): readonly CredentialUser[];
  /** Called after the secrets have changed. */
  onChange(): void;
}

export interface SecretResourcesParts {
  readonly encoder: MessageEncoder;
  /** Encodes the roots, which are the same for all proxies. */
  readonly encodeRoots: (pem: string) => EncodedResource;
  /** Makes responses and keeps none of them. */
  readonly responses: ResponseCache;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MAX_SHOWN_NAMES = 20;

/**
 * The secrets of one connection (SDS): its certificate with the key, the roots, and for routers the credentials of their
 * Gateways. A key is encoded once, for this
 * connection only: no cache, page or log has it, and `close` forgets it.
 */
export class SecretResources implements ResourceProvider {
  readonly typeUrl = TypeUrl.secret;
  readonly mode = 'named';
  readonly isPrivate = true;
  /** Envoy waits for a secret that does not exist yet. */
  readonly answersUnknownNames = false;
  /** The ledger tracks objects of the configuration. */
  readonly configVersion = '';
  readonly diffs = UNCACHED_DIFFS;
  readonly #parts: SecretResourcesParts;
  readonly #connection: SecretConnection;
  readonly #secrets: ConnectionSecrets;
  readonly #credentials: ConnectionCredentials;
  readonly #unsubscribe: () => void;
  /** `#encoded` are its secrets. */
  #certificate: WorkloadCertificate | undefined;
  #encoded: readonly EncodedResource[] = [];
  #set = EMPTY_RESOURCE_SET;
  #version = '';
  #versions = 0;
  #closed = false;
  /** Proxies repeat unknown names with every request. */
  #hasWarned = false;

  constructor(
    parts: SecretResourcesParts,
    connection: SecretConnection,
    secrets: ConnectionSecrets,
    openCredentials: (onChange: () => void) => ConnectionCredentials,
  ) {
    this.#parts = parts;
    this.#connection = connection;
    this.#secrets = secrets;
    this.#nextVersion();
    const changed = (): void => {
      if (this.#closed) return;
      this.#nextVersion();
      connection.onChange();
    };
    this.#credentials = openCredentials(changed);
    this.#unsubscribe = secrets.onChange(changed);
  }

  get version(): string {
    return this.#version;
  }

  get responses(): ResponseCache {
    return this.#parts.responses;
  }

  /** Secrets change on their own, not with the configuration. */
  isAffectedBy(): boolean {
    return false;
  }

  *prepare(asked: NameSet | undefined): Work<ResourceSet> {
    if (this.#closed) return EMPTY_RESOURCE_SET;
    const names = asked?.names ?? [];
    this.#encode();
    const resources = this.#encoded.filter(({ name }) => names.includes(name));
    const unknown: string[] = [];
    for (const name of names) {
      if (name === WORKLOAD_SECRET || name === ROOTS_SECRET) continue;
      const resource = this.#credentials.resourceOf(name);
      if (resource === undefined) unknown.push(name);
      else if (resource !== 'missing') resources.push(resource);
    }
    this.#warnOfUnknown(unknown);
    this.#set = nextResourceSet(this.#set, resources);
    return this.#set;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    this.#secrets.close();
    this.#credentials.close();
    this.#certificate = undefined;
    this.#encoded = [];
    this.#set = EMPTY_RESOURCE_SET;
  }

  #nextVersion(): void {
    this.#version = `${this.#parts.clock.now().toISOString()}/${++this.#versions}`;
  }

  #encode(): void {
    const certificate = this.#secrets.current();
    if (certificate === this.#certificate) return;
    this.#certificate = certificate;
    if (certificate === undefined) {
      this.#encoded = [];
      return;
    }
    const { encoder, encodeRoots } = this.#parts;
    // Sorted by name, which puts the roots first: a proxy has new roots before a certificate that they verify.
    this.#encoded = [
      encodeRoots(certificate.roots),
      encodeWorkloadSecret(encoder, certificate.chain, certificate.privateKey),
    ];
  }

  #warnOfUnknown(unknown: readonly string[]): void {
    if (this.#hasWarned || unknown.length === 0) return;
    this.#hasWarned = true;
    const secrets = shorten(unknown.slice(0, MAX_SHOWN_NAMES).join(', '));
    const fields = { connection: this.#connection.connectionId, secrets };
    this.#parts.logger.warn(fields, 'proxy requests secrets that do not exist');
  }
}
