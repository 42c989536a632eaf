import type { ConfigSource } from '../generated/envoy/config/core/v3/ConfigSource.js';
import { duration } from './durations.js';

/**
 * The ADS stream that brought the message in which the further resources are named.
 *
 * @param initialFetchTimeoutMs how long the proxy waits for the first answer (NAV_INITIAL_FETCH_TIMEOUT);
 *   0 lets it wait for ever
 */
export function adsConfigSource(initialFetchTimeoutMs: number): ConfigSource {
  return { ads: {}, initialFetchTimeout: duration(initialFetchTimeoutMs), resourceApiVersion: 'V3' };
}
