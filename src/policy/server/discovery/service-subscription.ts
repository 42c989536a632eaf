import type { Clock } from '../../../telemetry/clock.js';
import type { Logger } from '../../../telemetry/logger.js';
import { POLICY_TYPE_URLS } from '../../wire/policy-type-urls.js';
import type { ServicePolicies } from '../service-policies.js';
import type { AdsStream, OpenAdsStream } from './ads-stream.js';
import { type DiscoveryResponse, decodeDiscoveryResponse, encodeDiscoveryRequest } from './discovery-messages.js';
import { reconnectDelayMs } from './reconnect-delay.js';
import type { ServiceConfigReader } from './service-config-reader.js';
import { readServiceSet, type ServiceSet } from './service-set.js';
import type { SubscriptionMetrics } from './subscription-metrics.js';

export interface ServiceSubscriptionDependencies {
  readonly openStream: OpenAdsStream;
  /** Encoded node: who asks. */
  readonly node: Buffer;
  readonly readServiceConfig: ServiceConfigReader;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: SubscriptionMetrics;
  /** Told when a response is in force, before it is acknowledged. */
  readonly onChange: () => void;
}

/** The policies of all services of the mesh, kept up to date by a discovery server. */
export interface ServiceSubscription extends ServicePolicies {
  start(): void;
  /** What is in force stays in force. */
  stop(): void;
  /** Version of the configuration that is in force; undefined before the first. */
  readonly version: string | undefined;
  readonly isConnected: boolean;
}

/**
 * Subscribes to the ServiceConfigs of all services over ADS, for ever: when the stream ends it is opened again, with
 * waits that grow and have jitter. What was taken last stays in force while there is no connection, and while what comes
 * cannot be taken; such a response is refused with what is wrong with it.
 */
export function createServiceSubscription(dependencies: ServiceSubscriptionDependencies): ServiceSubscription {
  const { openStream, node, readServiceConfig, clock, random, logger, metrics, onChange } = dependencies;
  const typeUrl = POLICY_TYPE_URLS.serviceConfig;
  let services: ServiceSet = new Map();
  let version: string | undefined;
  let stream: AdsStream | undefined;
  let isConnected = false;
  let isStarted = false;
  let failures = 0;
  let cancelReconnect = (): void => {};

  const setConnected = (connected: boolean): void => {
    isConnected = connected;
    metrics.connected(connected);
  };

  const request = (fields: { readonly nonce: string; readonly node?: Buffer; readonly error?: string }): void => {
    stream?.send(encodeDiscoveryRequest({ typeUrl, version: version ?? '', ...fields }));
  };

  const take = (response: DiscoveryResponse): void => {
    services = readServiceSet(response.resources, typeUrl, services, readServiceConfig);
    const isNew = response.version !== version;
    version = response.version;
    metrics.accepted(version, services.size);
    if (isNew) logger.info({ version, services: services.size }, 'Policies of services are in force');
    onChange();
  };

  const refuse = (nonce: string, reason: string): void => {
    metrics.rejected();
    logger.error({ reason, version }, 'Policies of services were refused; the last good ones stay in force');
    request({ nonce, error: reason });
  };

  const received = (bytes: Buffer): void => {
    let response: DiscoveryResponse;
    try {
      response = decodeDiscoveryResponse(bytes);
    } catch (error) {
      stream?.close();
      ended(`the server sent what is no response: ${textOf(error)}`);
      return;
    }
    if (!isConnected) {
      failures = 0;
      setConnected(true);
      logger.info({}, 'Connected to the discovery server');
    }
    // Of a type that nobody asked for, there is nothing to take or to refuse.
    if (response.typeUrl !== typeUrl) return;
    try {
      take(response);
    } catch (error) {
      refuse(response.nonce, textOf(error));
      return;
    }
    request({ nonce: response.nonce });
  };

  const ended = (reason: string): void => {
    stream = undefined;
    failures++;
    const delayMs = reconnectDelayMs(failures, random);
    const fields = { reason, retryInMs: Math.round(delayMs) };
    // Once per outage; what follows is the same again.
    if (failures === 1) logger.warn(fields, 'No connection to the discovery server');
    else logger.debug(fields, 'Still no connection to the discovery server');
    setConnected(false);
    cancelReconnect = clock.schedule(delayMs, connect);
  };

  const connect = (): void => {
    stream = openStream({ received, ended });
    request({ nonce: '', node });
  };

  return {
    find: (hostname) => services.get(hostname)?.config,
    get version() {
      return version;
    },
    get isConnected() {
      return isConnected;
    },
    start: () => {
      if (isStarted) return;
      isStarted = true;
      setConnected(false);
      connect();
    },
    stop: () => {
      cancelReconnect();
      stream?.close();
      stream = undefined;
      setConnected(false);
    },
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
