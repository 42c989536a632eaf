import { ROOTS_SECRET, WORKLOAD_SECRET } from '../envoy/secret.js';
import { TypeUrl } from '../envoy/type-urls.js';
import type { TlsMaterial, TlsMaterialSource } from '../net/tls-material.js';
import type { Logger } from '../telemetry/logger.js';
import type { ReadSecret } from './secret-reader.js';
import { createSubscription, type Subscription, type SubscriptionEnvironment } from './subscription.js';

export interface SecretSubscriptionDependencies extends SubscriptionEnvironment {
  readonly readSecret: ReadSecret;
  readonly logger: Logger;
}

/**
 * The certificate of this process and the roots of the mesh, kept up to date by a discovery server (SDS). The last ones
 * stay in use after the subscription has stopped.
 */
export type SecretSubscription = TlsMaterialSource & Subscription;

const REFUSED = 'the secret cannot be read';

/**
 * Subscribes to the secrets that sidecars get, on its own stream: the server makes the key for this stream only. The
 * last secrets stay in use while there is no connection.
 */
export function createSecretSubscription(dependencies: SecretSubscriptionDependencies): SecretSubscription {
  const { readSecret, logger } = dependencies;
  const listeners = new Set<() => void>();
  let certificate: TlsMaterial['certificate'] | undefined;
  let roots: string | undefined;
  let material: TlsMaterial | undefined;
  let version = '';

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

  const subscription = createSubscription(dependencies, {
    typeUrl: TypeUrl.secret,
    names: [WORKLOAD_SECRET, ROOTS_SECRET],
    version: () => version,
    take: (response) => {
      take(response.resources);
      version = response.version;
    },
    refused: () => {
      // The unreadable bytes may hold a key, so no error that quotes them is logged or sent.
      logger.error({}, 'secrets of the discovery server refused');
      return REFUSED;
    },
    connected: () => undefined,
    disconnected: ({ reason, failures, retryInMs }) => {
      // The next stream gets another key.
      version = '';
      // Logged once per outage: later attempts fail for the same reason.
      if (failures === 1) logger.warn({ reason, retryInMs }, 'secret stream ended');
      else logger.debug({ reason, retryInMs }, 'secret stream ended');
    },
  });

  return {
    ...subscription,
    current: () => material,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
