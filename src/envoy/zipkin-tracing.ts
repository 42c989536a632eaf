import type { ZipkinConfig } from '../generated/envoy/config/trace/v3/ZipkinConfig.js';
import type { _envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager_Tracing as Tracing } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpConnectionManager.js';
import type { MessageEncoder } from './message-encoder.js';

/** The collector of spans, and the share of traces. */
export interface ZipkinTracingOptions {
  /** A cluster that the proxy has. Otherwise Envoy rejects the whole listener. */
  readonly collectorCluster: string;
  /** Host header of the collector's requests. */
  readonly collectorHostname: string;
  /** Share of new traces, 0 to 100; anything else counts as 100. */
  readonly randomSamplingPercent: number;
}

const ZIPKIN_CONFIG = 'type.googleapis.com/envoy.config.trace.v3.ZipkinConfig';

/** Tracing of a connection manager: client 100, overall 100 (docs/reference/xds.md#http-connection-manager). */
export function buildZipkinTracing(encoder: MessageEncoder, options: ZipkinTracingOptions): Tracing {
  const { randomSamplingPercent: percent } = options;
  const config: ZipkinConfig = {
    collectorCluster: options.collectorCluster,
    collectorHostname: options.collectorHostname,
    collectorEndpoint: '/api/v2/spans',
    collectorEndpointVersion: 'HTTP_JSON',
    traceId_128bit: true,
    sharedSpanContext: { value: false },
  };
  return {
    clientSampling: { value: 100 },
    randomSampling: { value: percent >= 0 && percent <= 100 ? percent : 100 },
    overallSampling: { value: 100 },
    provider: { name: 'envoy.tracers.zipkin', typedConfig: encoder.packAny(ZIPKIN_CONFIG, config) },
  };
}
