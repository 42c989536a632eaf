import { StreamError, type StreamErrorCode } from '../stream-error.js';

/** Limits of the peers of the discovery server. LIMIT_SETTINGS names the setting of each limit. */
export interface XdsLimits {
  /** Names in one request, which is one subscription. */
  readonly names: number;
  /** Names in all subscriptions of one stream. */
  readonly streamNames: number;
  /** Bytes that the streams of one peer hold in subscriptions and responses; shared bytes count once. */
  readonly peerBytes: number;
  /**
   * Bytes that the streams of all peers hold. Above it, peers that hold more than `peerBytes` / 16 get no more
   * responses.
   */
  readonly totalBytes: number;
  /** Open discovery streams of one peer. */
  readonly peerStreams: number;
  /** Open discovery streams of one connection. */
  readonly connectionStreams: number;
  /** Streams of one peer that have not read a response for 5 seconds; more of them are ended. */
  readonly unreadStreams: number;
  /** Time from the start of a stream to its first request, in milliseconds. */
  readonly firstRequestMs: number;
  /**
   * How long the next response of a type waits for the answer to the last one, in milliseconds; 0 means no limit. Envoy
   * acknowledges no clusters while one of them warms.
   */
  readonly ackMs: number;
  /** Requests of one stream that are read in a second, after a burst of ten times as many; more of them wait. */
  readonly requestsPerSecond: number;
  /** Bytes of the node of a stream's first request. */
  readonly nodeBytes: number;
  /** REST requests that wait for a change; of one address, half of them. Further requests are answered at once. */
  readonly restPolls: number;
  /** Bytes of the bodies of all REST requests that have not arrived completely; of one address, half of them. */
  readonly restBodyBytes: number;
  /** Bytes of one answer about the state of proxies (CSDS). */
  readonly clientStatusBytes: number;
  /** Series of load reports (LRS). Everything beyond them shares one. */
  readonly loadSeries: number;
}

export type LimitName = keyof XdsLimits;

/** The setting behind each limit, for messages. */
export const LIMIT_SETTINGS: Readonly<Record<LimitName, string>> = {
  names: 'NAV_XDS_MAX_NAMES',
  streamNames: 'NAV_XDS_MAX_STREAM_NAMES',
  peerBytes: 'NAV_XDS_MAX_PEER_BYTES',
  totalBytes: 'NAV_XDS_MAX_BYTES',
  peerStreams: 'NAV_XDS_MAX_PEER_STREAMS',
  connectionStreams: 'NAV_XDS_MAX_CONNECTION_STREAMS',
  unreadStreams: 'NAV_XDS_MAX_UNREAD_STREAMS',
  firstRequestMs: 'NAV_XDS_FIRST_REQUEST_TIMEOUT',
  ackMs: 'NAV_XDS_ACK_TIMEOUT',
  requestsPerSecond: 'NAV_XDS_REQUESTS_PER_SECOND',
  nodeBytes: 'NAV_XDS_MAX_NODE_BYTES',
  restPolls: 'NAV_XDS_REST_MAX_POLLS',
  restBodyBytes: 'NAV_XDS_REST_MAX_BODY_BYTES',
  clientStatusBytes: 'NAV_XDS_CLIENT_STATUS_MAX_BYTES',
  loadSeries: 'NAV_LOAD_REPORT_MAX_SERIES',
};

/** A stream ends because its peer met a limit; the message names the limit's setting. */
export class LimitError extends StreamError {
  readonly limit: LimitName;

  /**
   * @param what the reason, for example `the request names more than 100000 resources`
   * @param code RESOURCE_EXHAUSTED by default
   */
  constructor(limit: LimitName, what: string, code: StreamErrorCode = 'RESOURCE_EXHAUSTED') {
    super(code, `${what}; the limit is the setting ${LIMIT_SETTINGS[limit]} of the control plane`);
    this.name = 'LimitError';
    this.limit = limit;
  }
}
