/**
 * The parts of the messages of Envoy that the policy server reads, as protobufjs decodes them: names in camelCase,
 * enums as numbers, 64-bit integers as Long, unset members missing or at their defaults. Other programs can send any
 * message, so only the wire types are certain.
 */

/** protobufjs gives a Long; its text has all digits. */
export type WireInt64 = number | { toString(): string };

export interface WireTimestamp {
  readonly seconds?: WireInt64;
  readonly nanos?: number;
}

/** google.protobuf.Duration has the fields of a Timestamp. */
export type WireDuration = WireTimestamp;

export interface WireAddress {
  readonly socketAddress?: { readonly address?: string; readonly portValue?: number } | null;
}

export interface WireStruct {
  readonly fields?: Readonly<Record<string, WireValue>>;
}

/** google.protobuf.Value: one member is set. */
export interface WireValue {
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly boolValue?: boolean;
  readonly structValue?: WireStruct | null;
  readonly listValue?: { readonly values?: readonly WireValue[] } | null;
}

/** envoy.config.core.v3.Metadata */
export interface WireMetadata {
  readonly filterMetadata?: Readonly<Record<string, WireStruct>>;
}

export interface WirePeer {
  readonly address?: WireAddress | null;
  readonly principal?: string;
}

export interface WireHttpRequest {
  /** Envoy's number of the stream, which a caller cannot choose. */
  readonly id?: string;
  readonly method?: string;
  /** Lower case; of a header that comes several times, all values joined by commas. */
  readonly headers?: Readonly<Record<string, string>>;
  /** With its query. */
  readonly path?: string;
  readonly host?: string;
  readonly scheme?: string;
}

/** envoy.service.auth.v3.CheckRequest */
export interface WireCheckRequest {
  readonly attributes?: {
    readonly source?: WirePeer | null;
    readonly destination?: WirePeer | null;
    readonly request?: { readonly time?: WireTimestamp | null; readonly http?: WireHttpRequest | null } | null;
    readonly contextExtensions?: Readonly<Record<string, string>>;
    readonly metadataContext?: WireMetadata | null;
    readonly tlsSession?: { readonly sni?: string } | null;
  } | null;
}

export interface WireCertificate {
  readonly subjectAltName?: readonly { readonly uri?: string }[];
}

export interface WireTlsProperties {
  readonly tlsSniHostname?: string;
  readonly localCertificateProperties?: WireCertificate | null;
  readonly peerCertificateProperties?: WireCertificate | null;
}

/** envoy.data.accesslog.v3.AccessLogCommon */
export interface WireLogCommon {
  readonly downstreamRemoteAddress?: WireAddress | null;
  readonly downstreamDirectRemoteAddress?: WireAddress | null;
  readonly downstreamLocalAddress?: WireAddress | null;
  readonly upstreamRemoteAddress?: WireAddress | null;
  readonly tlsProperties?: WireTlsProperties | null;
  readonly startTime?: WireTimestamp | null;
  readonly duration?: WireDuration | null;
  readonly upstreamCluster?: string;
  readonly responseFlags?: WireResponseFlags | null;
  readonly metadata?: WireMetadata | null;
  readonly streamId?: string;
  /** Number of an AccessLogType. */
  readonly accessLogType?: number;
}

/** Members of envoy.data.accesslog.v3.ResponseFlags, all of them true or missing but `unauthorizedDetails`. */
export type WireResponseFlags = Readonly<Record<string, unknown>>;

/** envoy.data.accesslog.v3.HTTPAccessLogEntry */
export interface WireHttpLogEntry {
  readonly commonProperties?: WireLogCommon | null;
  readonly request?: {
    /** Number of a RequestMethod. */
    readonly requestMethod?: number;
    readonly scheme?: string;
    readonly authority?: string;
    readonly path?: string;
    readonly userAgent?: string;
    readonly referer?: string;
    readonly originalPath?: string;
    readonly requestHeadersBytes?: WireInt64;
    readonly requestBodyBytes?: WireInt64;
    readonly requestHeaders?: Readonly<Record<string, string>>;
  } | null;
  readonly response?: {
    readonly responseCode?: { readonly value?: number } | null;
    readonly responseHeadersBytes?: WireInt64;
    readonly responseBodyBytes?: WireInt64;
    readonly responseHeaders?: Readonly<Record<string, string>>;
    readonly responseTrailers?: Readonly<Record<string, string>>;
  } | null;
}

/** envoy.data.accesslog.v3.TCPAccessLogEntry */
export interface WireTcpLogEntry {
  readonly commonProperties?: WireLogCommon | null;
  readonly connectionProperties?: { readonly receivedBytes?: WireInt64; readonly sentBytes?: WireInt64 } | null;
}

/** envoy.service.accesslog.v3.StreamAccessLogsMessage */
export interface WireLogMessage {
  /** Only in the first message of a stream. */
  readonly identifier?: { readonly node?: WireNode | null; readonly logName?: string } | null;
  readonly httpLogs?: { readonly logEntry?: readonly WireHttpLogEntry[] } | null;
  readonly tcpLogs?: { readonly logEntry?: readonly WireTcpLogEntry[] } | null;
}

/** envoy.config.core.v3.Node */
export interface WireNode {
  readonly id?: string;
  readonly metadata?: WireStruct | null;
}
