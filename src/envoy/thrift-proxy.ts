import type { ThriftProxy } from '../generated/envoy/extensions/filters/network/thrift_proxy/v3/ThriftProxy.js';
import type { MessageEncoder } from './message-encoder.js';
import type { TypedFilter } from './typed-filter.js';

const THRIFT_PROXY = 'type.googleapis.com/envoy.extensions.filters.network.thrift_proxy.v3.ThriftProxy';

/** The network filter that speaks Thrift, whatever transport and protocol, and sends every call to one cluster. */
export function buildThriftProxy(encoder: MessageEncoder, statPrefix: string, cluster: string): TypedFilter {
  const config: ThriftProxy = {
    statPrefix,
    transport: 'AUTO_TRANSPORT',
    protocol: 'AUTO_PROTOCOL',
    routeConfig: { name: statPrefix, routes: [{ match: { methodName: '' }, route: { cluster } }] },
  };
  return { name: 'envoy.filters.network.thrift_proxy', typedConfig: encoder.packAny(THRIFT_PROXY, config) };
}
