import { isRecord } from '../base/record.js';
import type { AccessLog } from '../generated/envoy/config/accesslog/v3/AccessLog.js';
import type { SubstitutionFormatString } from '../generated/envoy/config/core/v3/SubstitutionFormatString.js';
import type { FileAccessLog } from '../generated/envoy/extensions/access_loggers/file/v3/FileAccessLog.js';
import type { StdoutAccessLog } from '../generated/envoy/extensions/access_loggers/stream/v3/StdoutAccessLog.js';
import type { MessageEncoder } from './message-encoder.js';
import { type StructValue, struct } from './struct.js';
import type { TypedFilter } from './typed-filter.js';

/** A file that requests or connections are logged to. */
export interface AccessLogOptions {
  /** Path in the proxy's file system, for example `/dev/stdout`. */
  readonly path: string;
  readonly encoding: 'TEXT' | 'JSON';
  /**
   * TEXT: a format string, empty for Envoy's own default. JSON: an object whose texts, at any depth, are format
   * strings; DEFAULT_JSON_FIELDS if it is empty or not an object.
   */
  readonly format: string;
}

const LOGGERS = 'type.googleapis.com/envoy.extensions.access_loggers';

/** Opening standard output by its path fails if it is a socket. These loggers write to the open stream. */
const STREAM_LOGGERS: Readonly<Record<string, { readonly name: string; readonly typeUrl: string } | undefined>> = {
  '/dev/stdout': { name: 'envoy.access_loggers.stdout', typeUrl: `${LOGGERS}.stream.v3.StdoutAccessLog` },
  '/dev/stderr': { name: 'envoy.access_loggers.stderr', typeUrl: `${LOGGERS}.stream.v3.StderrAccessLog` },
};

const DEFAULT_JSON_FIELDS: Readonly<Record<string, string>> = {
  start_time: '%START_TIME%',
  method: '%REQ(:METHOD)%',
  path: '%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%',
  protocol: '%PROTOCOL%',
  authority: '%REQ(:AUTHORITY)%',
  user_agent: '%REQ(USER-AGENT)%',
  x_forwarded_for: '%REQ(X-FORWARDED-FOR)%',
  request_id: '%REQ(X-REQUEST-ID)%',
  response_code: '%RESPONSE_CODE%',
  response_code_details: '%RESPONSE_CODE_DETAILS%',
  response_flags: '%RESPONSE_FLAGS%',
  connection_termination_details: '%CONNECTION_TERMINATION_DETAILS%',
  upstream_transport_failure_reason: '%UPSTREAM_TRANSPORT_FAILURE_REASON%',
  bytes_received: '%BYTES_RECEIVED%',
  bytes_sent: '%BYTES_SENT%',
  duration: '%DURATION%',
  upstream_service_time: '%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%',
  upstream_host: '%UPSTREAM_HOST%',
  upstream_cluster: '%UPSTREAM_CLUSTER%',
  upstream_local_address: '%UPSTREAM_LOCAL_ADDRESS%',
  downstream_local_address: '%DOWNSTREAM_LOCAL_ADDRESS%',
  downstream_remote_address: '%DOWNSTREAM_REMOTE_ADDRESS%',
  requested_server_name: '%REQUESTED_SERVER_NAME%',
  route_name: '%ROUTE_NAME%',
};

/**
 * The access logger of a connection manager or TCP proxy (mesh config accessLogFile,
 * docs/reference/mesh-config.md#defaults).
 */
export function buildFileAccessLog(encoder: MessageEncoder, options: AccessLogOptions): TypedFilter {
  const logFormat = buildLogFormat(options);
  const stream = STREAM_LOGGERS[options.path];
  if (stream !== undefined) {
    const config: StdoutAccessLog = { logFormat };
    return { name: stream.name, typedConfig: encoder.packAny(stream.typeUrl, config) };
  }
  const config: FileAccessLog = { path: options.path, logFormat };
  const typedConfig = encoder.packAny(`${LOGGERS}.file.v3.FileAccessLog`, config);
  return { name: 'envoy.access_loggers.file', typedConfig };
}

/** The same logger, for a TCP proxy that also logs open connections: it logs only their ends. */
export function onlyOfEndedConnections(logger: TypedFilter): AccessLog {
  return { ...logger, filter: { logTypeFilter: { types: ['TcpConnectionEnd'] } } };
}

function buildLogFormat({ encoding, format }: AccessLogOptions): SubstitutionFormatString | null {
  if (encoding === 'JSON') return { jsonFormat: struct(jsonFields(format)) };
  if (format === '') return null;
  return { textFormatSource: { inlineString: format.endsWith('\n') ? format : `${format}\n` } };
}

function jsonFields(format: string): { readonly [name: string]: StructValue } {
  let parsed: unknown;
  try {
    parsed = format === '' ? undefined : JSON.parse(format);
  } catch {
    return DEFAULT_JSON_FIELDS;
  }
  if (!isRecord(parsed)) return DEFAULT_JSON_FIELDS;
  // A Struct can hold any JSON value.
  return parsed as { readonly [name: string]: StructValue };
}
