import type { RedisProxy } from '../generated/envoy/extensions/filters/network/redis_proxy/v3/RedisProxy.js';
import { duration } from './durations.js';
import type { MessageEncoder } from './message-encoder.js';
import type { TypedFilter } from './typed-filter.js';

const REDIS_PROXY = 'type.googleapis.com/envoy.extensions.filters.network.redis_proxy.v3.RedisProxy';
const COMMAND_TIMEOUT_MS = 5000;

/** The network filter that speaks the Redis protocol and sends every key to one cluster. */
export function buildRedisProxy(encoder: MessageEncoder, statPrefix: string, cluster: string): TypedFilter {
  const config: RedisProxy = {
    statPrefix,
    settings: { opTimeout: duration(COMMAND_TIMEOUT_MS) },
    prefixRoutes: { catchAllRoute: { cluster } },
    latencyInMicros: true,
  };
  return { name: 'envoy.filters.network.redis_proxy', typedConfig: encoder.packAny(REDIS_PROXY, config) };
}
