import type { XdsLimits } from '../xds/limits/xds-limits.js';
import type { Environment } from './options.js';

/** Parts of the heap limit that stand for a limit of 0. */
const PEER_PART = 1 / 4;
const TOTAL_PART = 1 / 2;

/** @param heapLimitBytes what the JavaScript heap can grow to */
export function xdsLimits(environment: Environment, heapLimitBytes: number): XdsLimits {
  return {
    names: environment.navXdsMaxNames,
    streamNames: environment.navXdsMaxStreamNames,
    peerBytes: environment.navXdsMaxPeerBytes || Math.floor(heapLimitBytes * PEER_PART),
    totalBytes: environment.navXdsMaxBytes || Math.floor(heapLimitBytes * TOTAL_PART),
    peerStreams: environment.navXdsMaxPeerStreams,
    connectionStreams: environment.navXdsMaxConnectionStreams,
    unreadStreams: environment.navXdsMaxUnreadStreams,
    firstRequestMs: environment.navXdsFirstRequestTimeoutMs,
    ackMs: environment.navXdsAckTimeoutMs,
    requestsPerSecond: environment.navXdsRequestsPerSecond,
    nodeBytes: environment.navXdsMaxNodeBytes,
  };
}
