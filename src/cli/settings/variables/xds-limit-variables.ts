import type { Environment } from '../../../bootstrap/environment.js';
import { duration, integer } from '../../values/scalar-types.js';
import type { VariableTable } from '../setting.js';

const count = integer({ min: 1 });

/** Limits for peers of the discovery server. */
export const xdsLimitVariables = {
  navLoadReportIntervalMs: {
    name: 'NAV_LOAD_REPORT_INTERVAL',
    type: duration({ minNs: 1_000_000n }),
    default: '10s',
    meaning: 'Time between two load reports (LRS) of a proxy that sends them',
    addition: true,
  },
  navLoadReportMaxSeries: {
    name: 'NAV_LOAD_REPORT_MAX_SERIES',
    type: count,
    default: '5000',
    meaning:
      'Maximum pairs of cluster and locality in the metrics of load reports. Further pairs are counted together, with the labels other',
    addition: true,
  },
  navXdsClientStatusMaxBytes: {
    name: 'NAV_XDS_CLIENT_STATUS_MAX_BYTES',
    type: count,
    default: '16777216',
    meaning: 'Maximum bytes of one answer about the state of proxies (CSDS and debug types); a larger one is refused',
    addition: true,
  },
  navXdsMaxNames: {
    name: 'NAV_XDS_MAX_NAMES',
    type: count,
    default: '100000',
    meaning:
      'Maximum resource names in one subscription; a stream with more is ended. A sidecar on demand keeps its stream, and further names are answered as unknown',
    addition: true,
  },
  navXdsMaxStreamNames: {
    name: 'NAV_XDS_MAX_STREAM_NAMES',
    type: count,
    default: '200000',
    meaning:
      'Maximum resource names in all subscriptions of one discovery stream; a stream that subscribes to more is ended',
    addition: true,
  },
  navXdsMaxPeerBytes: {
    name: 'NAV_XDS_MAX_PEER_BYTES',
    type: integer({ min: 0 }),
    default: '0',
    meaning:
      'Maximum bytes that the discovery streams of one peer (its identity, or its address if it has none) keep in subscriptions and responses; shared bytes count once; 0 means a quarter of the heap limit',
    addition: true,
  },
  navXdsMaxBytes: {
    name: 'NAV_XDS_MAX_BYTES',
    type: integer({ min: 0 }),
    default: '0',
    meaning:
      'Maximum bytes that the discovery streams of all peers keep. Beyond it, peers with more than a sixteenth of NAV_XDS_MAX_PEER_BYTES get no more responses. 0 means half of the heap limit',
    addition: true,
  },
  navXdsMaxPeerStreams: {
    name: 'NAV_XDS_MAX_PEER_STREAMS',
    type: count,
    default: '30000',
    meaning: 'Maximum concurrent discovery streams of one peer',
    addition: true,
  },
  navXdsMaxConnectionStreams: {
    name: 'NAV_XDS_MAX_CONNECTION_STREAMS',
    type: count,
    default: '1000',
    meaning: 'Maximum concurrent discovery streams of one connection',
    addition: true,
  },
  navXdsMaxUnreadStreams: {
    name: 'NAV_XDS_MAX_UNREAD_STREAMS',
    type: count,
    default: '500',
    meaning:
      'Maximum discovery streams of one peer that have not read a response for 5 s. Streams beyond it are ended at once, the others after a minute',
    addition: true,
  },
  navXdsFirstRequestTimeoutMs: {
    name: 'NAV_XDS_FIRST_REQUEST_TIMEOUT',
    type: duration({ minNs: 1_000_000n }),
    default: '30s',
    meaning: 'Maximum time from the start of a discovery stream to its first request',
    addition: true,
  },
  navXdsAckTimeoutMs: {
    name: 'NAV_XDS_ACK_TIMEOUT',
    type: duration({ minNs: 0n }),
    default: '15s',
    meaning:
      'Maximum time that a changed resource type waits for a proxy to answer the last response of that type; then the next one is sent without the answer. Envoy acknowledges no clusters while one of them waits for its endpoints, secrets or health checks. 0 means no limit',
    addition: true,
  },
  navXdsRequestsPerSecond: {
    name: 'NAV_XDS_REQUESTS_PER_SECOND',
    type: count,
    default: '100',
    meaning:
      'Maximum requests per second of one discovery stream, on average; a burst may have ten times as many. Further requests wait',
    addition: true,
  },
  navXdsMaxNodeBytes: {
    name: 'NAV_XDS_MAX_NODE_BYTES',
    type: count,
    default: '524288',
    meaning: "Maximum bytes of the node in a stream's first request",
    addition: true,
  },
  navXdsRestPollTimeoutMs: {
    name: 'NAV_XDS_REST_POLL_TIMEOUT',
    type: duration({ minNs: 1_000_000n }),
    default: '30s',
    meaning:
      'Maximum time that a REST discovery request waits for a change before it is answered with 304. A request that announces a shorter timeout (x-envoy-expected-rq-timeout-ms) waits nine tenths of that',
    addition: true,
  },
  navXdsRestLeaseMs: {
    name: 'NAV_XDS_REST_LEASE',
    type: duration({ minNs: 1_000_000n }),
    default: '1m0s',
    meaning: 'Time after its last REST discovery request for which a proxy counts as connected',
    addition: true,
  },
  navXdsRestMaxPolls: {
    name: 'NAV_XDS_REST_MAX_POLLS',
    type: integer({ min: 0 }),
    default: '512',
    meaning:
      'Maximum REST discovery requests that wait for a change, half of them from one address. Further requests are answered at once',
    addition: true,
  },
  navXdsRestMaxBodyBytes: {
    name: 'NAV_XDS_REST_MAX_BODY_BYTES',
    type: integer({ min: 1 << 20 }),
    default: '67108864',
    meaning:
      'Maximum bytes of the bodies of all REST discovery requests that have not arrived completely, half of them from one address. The oldest request is refused',
    addition: true,
  },
} as const satisfies Partial<VariableTable<Environment>>;
