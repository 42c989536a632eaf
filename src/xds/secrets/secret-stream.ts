import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { rpcCodeOf } from '../../base/rpc-code.js';
import { composeDiscoveryResponse } from '../../envoy/discovery-response.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { encodeWorkloadSecret } from '../../envoy/secret.js';
import { ROOTS_SECRET, WORKLOAD_SECRET } from '../../envoy/secret-names.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { WireMessage } from '../../envoy/wire-message.js';
import type { PushMetrics } from '../../push/push-metrics.js';
import { finish } from '../../push/work.js';
import type { Logger } from '../../telemetry/logger.js';
import { type RawDiscoveryRequest, readResourceNames } from '../request-wire.js';
import { shorten } from '../shorten.js';
import type { ConnectionSecrets, WorkloadCertificate } from './secret-source.js';

/** Whom a secret stream belongs to. */
export interface SecretConnection {
  /** For logs. */
  readonly id: string;
  readonly nodeId: string;
  /** Settles, either way, when the message has been written or never will be. */
  send(message: WireMessage): Promise<void>;
}

export interface SecretStreamParts {
  readonly encoder: MessageEncoder;
  /** Roots as a resource, which is the same for everybody. */
  readonly encodeRoots: (pem: string) => EncodedResource;
  readonly metrics: PushMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** ControlPlane.identifier of every response. */
  readonly controlPlane: string;
}

const TYPE = 'sds';
/** There are two secrets: of a request with more names than that, the rest is not read. */
const MAX_NAMES = 1_000;
const MAX_SHOWN_NAMES = 20;

/**
 * The SDS half of one proxy's stream: the secrets that it asks for by name, and newer ones as soon as there are any.
 * Keys are encoded once for the connection, and nothing outside of it ever holds them. Like any type: one response at a
 * time is unanswered, and what the proxy rejected is not offered again before it changes.
 */
export class SecretStream {
  readonly #parts: SecretStreamParts;
  readonly #connection: SecretConnection;
  readonly #secrets: ConnectionSecrets;
  readonly #unsubscribe: () => void;
  /** Encoded from this certificate. */
  #certificate: WorkloadCertificate | undefined;
  #resources = new Map<string, EncodedResource>();
  #names: ReadonlySet<string> = new Set();
  /** What the proxy was sent last, of each name. */
  readonly #sent = new Map<string, EncodedResource>();
  #nonce = '';
  #responses = 0;
  #unanswered = false;
  #writing = false;
  #closed = false;
  /** Of unknown names, which it repeats with every request. */
  #hasWarned = false;

  constructor(parts: SecretStreamParts, connection: SecretConnection, secrets: ConnectionSecrets) {
    this.#parts = parts;
    this.#connection = connection;
    this.#secrets = secrets;
    this.#unsubscribe = secrets.onChange(() => this.#respond());
  }

  receive(request: RawDiscoveryRequest): void {
    const { responseNonce, errorDetail } = request;
    if (responseNonce !== '' && responseNonce !== this.#nonce) {
      this.#parts.metrics.nonceExpired(TYPE);
      return;
    }
    if (responseNonce === '') this.#sent.clear();
    else if (errorDetail !== undefined && this.#unanswered) this.#reject(errorDetail);
    this.#unanswered = false;
    this.#setNames(request.encodedNames);
    this.#respond();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    this.#secrets.close();
    this.#certificate = undefined;
    this.#resources.clear();
    this.#sent.clear();
  }

  #setNames(encodedNames: Uint8Array): void {
    const asked = firstNames(encodedNames);
    const unknown = asked.filter((name) => name !== WORKLOAD_SECRET && name !== ROOTS_SECRET);
    this.#names = new Set([WORKLOAD_SECRET, ROOTS_SECRET].filter((name) => asked.includes(name)));
    // What it does not want any more it forgets, and would want to be sent anew.
    for (const name of this.#sent.keys()) if (!this.#names.has(name)) this.#sent.delete(name);
    if (unknown.length === 0 || this.#hasWarned) return;
    this.#hasWarned = true;
    const fields = { connection: this.#connection.id, secrets: shorten(unknown.slice(0, MAX_SHOWN_NAMES).join(', ')) };
    this.#parts.logger.warn(fields, 'Proxy asks for secrets that do not exist');
  }

  /** A rejection is told of, once for each response, and never what was rejected. */
  #reject({ code, message }: { readonly code: number; readonly message: string }): void {
    const { metrics, logger } = this.#parts;
    const name = rpcCodeOf(code);
    metrics.rejected(TYPE, this.#connection.nodeId, name);
    const fields = { connection: this.#connection.id, type: TYPE, code: name, rejection: shorten(message) };
    logger.warn(fields, 'Proxy rejected its secrets and keeps what it had');
  }

  #respond(): void {
    if (this.#closed || this.#unanswered || this.#writing) return;
    const resources = this.#news();
    if (resources.length === 0) return;
    const { clock, metrics, controlPlane } = this.#parts;
    const startMs = clock.monotonicMs();
    this.#nonce = randomUUID();
    const versionInfo = `${clock.now().toISOString()}/${++this.#responses}`;
    const header = { versionInfo, typeUrl: TypeUrl.secret, nonce: this.#nonce, controlPlane };
    const message = composeDiscoveryResponse(
      header,
      resources.map(({ entry }) => entry),
    );
    for (const resource of resources) this.#sent.set(resource.name, resource);
    this.#unanswered = true;
    this.#writing = true;
    const written = (): void => {
      this.#writing = false;
      this.#respond();
    };
    void this.#connection.send(message).then(written, written);
    metrics.pushed(TYPE, (clock.monotonicMs() - startMs) / 1000);
  }

  /** What the proxy asks for and does not have, or has otherwise. */
  #news(): readonly EncodedResource[] {
    this.#encode();
    return [...this.#resources.values()].filter(
      ({ name, version }) => this.#names.has(name) && this.#sent.get(name)?.version !== version,
    );
  }

  #encode(): void {
    const certificate = this.#secrets.current();
    if (certificate === this.#certificate) return;
    this.#certificate = certificate;
    this.#resources.clear();
    if (certificate === undefined) return;
    const { encoder, encodeRoots } = this.#parts;
    // Roots first: a proxy that has new ones before its certificate trusts whoever is as far.
    for (const resource of [
      encodeRoots(certificate.roots),
      encodeWorkloadSecret(encoder, certificate.chain, certificate.privateKey),
    ]) {
      this.#resources.set(resource.name, resource);
    }
  }
}

function firstNames(encodedNames: Uint8Array): readonly string[] {
  return finish(readResourceNames(encodedNames, MAX_NAMES));
}
