import type { Rds } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/Rds.js';
import { duration } from './durations.js';

/** envoy.config.core.v3.ConfigSource: where a proxy gets further resources from. */
export type ConfigSource = NonNullable<Rds['configSource']>;

/**
 * The ADS stream that brought the message in which the further resources are named.
 *
 * @param initialFetchTimeoutMs how long the proxy waits for the first answer (NAV_INITIAL_FETCH_TIMEOUT);
 *   0 lets it wait for ever
 */
export function adsConfigSource(initialFetchTimeoutMs: number): ConfigSource {
  return { ads: {}, initialFetchTimeout: duration(initialFetchTimeoutMs), resourceApiVersion: 'V3' };
}
