import type { CommonGrpcAccessLogConfig } from '../generated/envoy/extensions/access_loggers/grpc/v3/CommonGrpcAccessLogConfig.js';
import type { HttpGrpcAccessLogConfig } from '../generated/envoy/extensions/access_loggers/grpc/v3/HttpGrpcAccessLogConfig.js';
import type { TcpGrpcAccessLogConfig } from '../generated/envoy/extensions/access_loggers/grpc/v3/TcpGrpcAccessLogConfig.js';
import { duration } from './durations.js';
import { buildGrpcService } from './grpc-service.js';
import type { MessageEncoder } from './message-encoder.js';
import type { TypedFilter } from './typed-filter.js';

/** An access log server. */
export interface GrpcAccessLogOptions {
  /** Name by which the server distinguishes logs. */
  readonly logName: string;
  readonly cluster: string;
  /** Longest time that an entry waits to be sent with others; above 0. */
  readonly flushIntervalMs: number;
}

/** Request headers that entries have beside the default fields; names in lower case. */
export interface LoggedHeaders {
  readonly request: readonly string[];
  readonly response: readonly string[];
  readonly responseTrailers: readonly string[];
}

const EXTENSION = 'type.googleapis.com/envoy.extensions.access_loggers.grpc.v3';

/** Sends an entry for every request. */
export function buildHttpGrpcAccessLog(
  encoder: MessageEncoder,
  options: GrpcAccessLogOptions,
  headers: LoggedHeaders,
): TypedFilter {
  const config: HttpGrpcAccessLogConfig = {
    commonConfig: commonConfig(options),
    additionalRequestHeadersToLog: [...headers.request],
    additionalResponseHeadersToLog: [...headers.response],
    additionalResponseTrailersToLog: [...headers.responseTrailers],
  };
  return {
    name: 'envoy.access_loggers.http_grpc',
    typedConfig: encoder.packAny(`${EXTENSION}.HttpGrpcAccessLogConfig`, config),
  };
}

/** Sends an entry for every connection, and further entries if the TCP proxy logs open connections. */
export function buildTcpGrpcAccessLog(encoder: MessageEncoder, options: GrpcAccessLogOptions): TypedFilter {
  const config: TcpGrpcAccessLogConfig = { commonConfig: commonConfig(options) };
  return {
    name: 'envoy.access_loggers.tcp_grpc',
    typedConfig: encoder.packAny(`${EXTENSION}.TcpGrpcAccessLogConfig`, config),
  };
}

function commonConfig({ logName, cluster, flushIntervalMs }: GrpcAccessLogOptions): CommonGrpcAccessLogConfig {
  return {
    logName,
    transportApiVersion: 'V3',
    grpcService: buildGrpcService({ cluster }),
    bufferFlushInterval: duration(flushIntervalMs),
  };
}
