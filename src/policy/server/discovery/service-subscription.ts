import { errorText } from '../../../base/error-text.js';
import type { ServiceConfig } from '../../../config/policy/client-config.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { Metrics } from '../../../telemetry/metrics.js';
import type { DiscoveryResponse } from '../../../xds-client/discovery-messages.js';
import {
  createSubscription,
  type Subscription,
  type SubscriptionEnvironment,
} from '../../../xds-client/subscription.js';
import { POLICY_TYPE_URLS } from '../../wire/call-metadata.js';
import type { ServiceConfigSource } from '../compiled-services.js';
import { type ResourceSet, readResourceSet } from './resource-set.js';
import type { ServiceConfigReader } from './service-config-reader.js';

export interface ServiceSubscriptionDependencies extends SubscriptionEnvironment {
  readonly readServiceConfig: ServiceConfigReader;
  readonly logger: Logger;
  readonly metrics: SubscriptionMetrics;
  /** Called when a response is in force, before its acknowledgement. */
  readonly onChange: () => void;
}

/**
 * The policies of all services of the mesh from a discovery server. The last ones stay in force without a connection.
 */
export interface ServiceSubscription extends ServiceConfigSource, Subscription {
  /** Version of the configuration in force; undefined before the first one. */
  readonly version: string | undefined;
  readonly isConnected: boolean;
  /** The services in force now, by host; undefined before the first ones. */
  current(): ReadonlyMap<string, ServiceConfig> | undefined;
}

/**
 * Subscribes to the ServiceConfigs of all services over ADS. The last configuration stays in force without a connection
 * and after an invalid response, which is rejected with its problem.
 */
export function createServiceSubscription(dependencies: ServiceSubscriptionDependencies): ServiceSubscription {
  const { readServiceConfig, logger, metrics, onChange } = dependencies;
  const typeUrl = POLICY_TYPE_URLS.serviceConfig;
  let services: ResourceSet<ServiceConfig> = new Map();
  let version: string | undefined;
  let isConnected = false;

  const setConnected = (connected: boolean): void => {
    isConnected = connected;
    metrics.connected(connected);
  };

  const take = (response: DiscoveryResponse): void => {
    services = readResourceSet(response.resources, typeUrl, services, readServiceConfig);
    const isNew = response.version !== version;
    version = response.version;
    metrics.accepted(version, services.size);
    if (isNew) logger.info({ version, services: services.size }, 'service policies activated');
    onChange();
  };

  const subscription = createSubscription(dependencies, {
    typeUrl,
    version: () => version ?? '',
    take,
    refused: (error) => {
      const reason = errorText(error);
      metrics.rejected();
      logger.error({ reason, version }, 'service policies rejected, the former ones stay in force');
      return reason;
    },
    connected: () => {
      setConnected(true);
      logger.info({}, 'connected to the discovery server');
    },
    disconnected: ({ reason, failures, retryInMs }) => {
      // Logged once for each outage: later attempts usually fail for the same reason.
      if (failures === 1) logger.warn({ reason, retryInMs }, 'no connection to the discovery server');
      else logger.debug({ reason, retryInMs }, 'still no connection to the discovery server');
      setConnected(false);
    },
  });

  return {
    find: (hostname) => services.get(hostname)?.value,
    current: () =>
      version === undefined ? undefined : new Map([...services].map(([hostname, { value }]) => [hostname, value])),
    get version() {
      return version;
    },
    get isConnected() {
      return isConnected;
    },
    start: () => {
      metrics.connected(isConnected);
      subscription.start();
    },
    renew: subscription.renew,
    stop: () => {
      subscription.stop();
      setConnected(false);
    },
  };
}

/** Metrics of the subscription. */
export interface SubscriptionMetrics {
  connected(isConnected: boolean): void;
  /** A response is in force. */
  accepted(version: string, services: number): void;
  rejected(): void;
}

export function createSubscriptionMetrics(metrics: Metrics): SubscriptionMetrics {
  let shown: string | undefined;
  return {
    connected: (isConnected) => metrics.set('policy_discovery_connected', isConnected ? 1 : 0),
    accepted: (version, services) => {
      metrics.increment('policy_discovery_updates_total', { result: 'accepted' });
      metrics.set('policy_discovery_services', services);
      if (shown !== undefined && shown !== version) metrics.remove('policy_discovery_version', { version: shown });
      metrics.set('policy_discovery_version', { version }, 1);
      shown = version;
    },
    rejected: () => metrics.increment('policy_discovery_updates_total', { result: 'rejected' }),
  };
}
