import { ROOTS_SECRET, WORKLOAD_SECRET } from '../../../envoy/secret-names.js';
import { TypeUrl } from '../../../envoy/type-urls.js';
import type { TlsMaterial, TlsMaterialSource } from '../../../net/tls-material.js';
import type { Clock } from '../../../telemetry/clock.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { AdsStream, OpenAdsStream } from './ads-stream.js';
import { decodeDiscoveryResponse, encodeDiscoveryRequest } from './discovery-messages.js';
import { reconnectDelayMs } from './reconnect-delay.js';
import type { ReadSecret } from './secret-reader.js';

export interface SecretSubscriptionDependencies {
  /** Opens streams that prove who this process is. */
  readonly openStream: OpenAdsStream;
  /** Encoded node: who asks. */
  readonly node: Buffer;
  readonly readSecret: ReadSecret;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
}

/** This process's own certificate and the mesh's roots, kept up to date by a discovery server (SDS). */
export interface SecretSubscription extends TlsMaterialSource {
  start(): void;
  /** What came last stays. */
  stop(): void;
}

const REFUSED = 'the secret cannot be read';

/**
 * Subscribes to the secrets that sidecars get, on a stream of its own: the key is made for this stream alone. When it
 * ends it is opened again, with waits that grow and have jitter; what came last stays in use meanwhile.
 */
export function createSecretSubscription(dependencies: SecretSubscriptionDependencies): SecretSubscription {
  const { openStream, node, readSecret, clock, random, logger } = dependencies;
  const listeners = new Set<() => void>();
  let certificate: TlsMaterial['certificate'] | undefined;
  let roots: string | undefined;
  let material: TlsMaterial | undefined;
  let stream: AdsStream | undefined;
  let version = '';
  let failures = 0;
  let isStopped = false;
  let cancelReconnect = (): void => {};

  const request = (fields: { readonly nonce: string; readonly node?: Buffer; readonly error?: string }): void => {
    const names = [WORKLOAD_SECRET, ROOTS_SECRET];
    stream?.send(encodeDiscoveryRequest({ typeUrl: TypeUrl.secret, version, names, ...fields }));
  };

  const take = (resources: readonly Buffer[]): void => {
    for (const resource of resources) {
      const secret = readSecret(resource);
      if (secret.type === 'certificate') certificate = secret.certificate;
      else roots = secret.roots;
    }
    if (certificate === undefined || roots === undefined) return;
    material = { certificate, clientRoots: [roots] };
    for (const listener of [...listeners]) listener();
  };

  const received = (bytes: Buffer): void => {
    failures = 0;
    let nonce = '';
    try {
      const response = decodeDiscoveryResponse(bytes);
      nonce = response.nonce;
      if (response.typeUrl !== TypeUrl.secret) return;
      take(response.resources);
      version = response.version;
    } catch {
      // What could not be read may be a key: no error that quotes it goes anywhere.
      logger.error({}, 'secrets of the discovery server refused');
      request({ nonce, error: REFUSED });
      return;
    }
    request({ nonce });
  };

  const ended = (reason: string): void => {
    stream = undefined;
    if (isStopped) return;
    failures++;
    const delayMs = reconnectDelayMs(failures, random);
    const fields = { reason, retryInMs: Math.round(delayMs) };
    // Once per outage; what follows is the same again.
    if (failures === 1) logger.warn(fields, 'secret stream ended');
    else logger.debug(fields, 'secret stream ended');
    cancelReconnect = clock.schedule(delayMs, connect);
  };

  const connect = (): void => {
    version = '';
    stream = openStream({ received, ended });
    request({ nonce: '', node });
  };

  return {
    current: () => material,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: connect,
    stop: () => {
      isStopped = true;
      cancelReconnect();
      stream?.close();
    },
  };
}
