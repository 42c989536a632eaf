import type { Metrics } from '../../../telemetry/metrics.js';

/** What the subscription to a discovery server counts. */
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
