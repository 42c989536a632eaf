import type { ConfigSource } from '../generated/envoy/config/core/v3/ConfigSource.js';
import { duration } from './durations.js';

/**
 * The ADS stream of the message that names the resources.
 *
 * @param initialFetchTimeoutMs how long the proxy waits for the first response (NAV_INITIAL_FETCH_TIMEOUT); 0 means no
 *   limit
 */
export function adsConfigSource(initialFetchTimeoutMs: number): ConfigSource {
  return { ads: {}, initialFetchTimeout: duration(initialFetchTimeoutMs), resourceApiVersion: 'V3' };
}
