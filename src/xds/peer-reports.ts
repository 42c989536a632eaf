import type { Clock } from '../base/clock.js';
import { rpcCodeOf } from '../base/rpc-code.js';
import { shortTypeName } from '../envoy/type-urls.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { Logger } from '../telemetry/logger.js';
import { createPeerLog } from '../telemetry/peer-log.js';
import { createSubjectLog } from '../telemetry/subject-log.js';
import type { Rejection } from './discovery-protocol.js';
import { addressOf } from './limits/peers.js';
import { LIMIT_SETTINGS, LimitError } from './limits/xds-limits.js';
import { shorten } from './shorten.js';
import type { StreamError } from './stream-error.js';
import type { WatchedResource } from './watched-resource.js';

/** A proxy in log lines and metrics. */
export interface ReportedProxy {
  /** Its identity, or its address if it has none. */
  readonly peer: string;
  /** `<node id>-<counter>` */
  readonly connection: string;
  readonly node: string;
}

/** Counts and logs events that a peer can repeat; the number of log lines is limited for each peer. */
export interface PeerReports {
  /** Records a rejection in its subscription. @returns whether it rejects the newest response, for the first time */
  rejected(proxy: ReportedProxy, watched: WatchedResource, rejection: Rejection): boolean;
  /** A response goes out though the proxy has not answered the one before in time. */
  unacknowledged(proxy: ReportedProxy, type: string): void;
  /** This side ends a stream. */
  refused(peer: string, error: StreamError): void;
  /** A stream sends requests faster than they are read. */
  tooFast(peer: string): void;
}

type ReportedMetrics = Pick<PushMetrics, 'limitMet' | 'rejected' | 'unacknowledged'>;

export function createPeerReports(metrics: ReportedMetrics, logger: Logger, clock: Clock): PeerReports {
  // A peer that reconnects has another port, and can send another reason each time.
  const refusals = createSubjectLog(logger, clock);
  const paces = createSubjectLog(logger, clock);
  const rejections = createPeerLog(logger, clock);
  const waits = createSubjectLog(logger, clock);
  return {
    rejected: ({ peer, connection, node }, watched, { nonce, code: number, message }) => {
      const type = shortTypeName(watched.provider.typeUrl);
      const code = rpcCodeOf(number);
      metrics.rejected(type, node, code);
      const rejection = shorten(message);
      const fields = { connection, type, code, nonce, rejection };
      if (!watched.isUnanswered || nonce !== watched.sentNonce) {
        logger.debug(fields, 'proxy rejected a response again, or an older response');
        return false;
      }
      rejections.warn(peer, fields, 'proxy rejected its configuration and keeps the last accepted one');
      watched.reject(nonce, code, rejection);
      return true;
    },
    unacknowledged: ({ peer, connection }, type) => {
      metrics.unacknowledged(type);
      const fields = { peer, connection, type, setting: LIMIT_SETTINGS.ackMs };
      const message = 'response sent although the proxy did not acknowledge the last one in time';
      waits.warn(`${connection} ${type}`, fields, message);
    },
    refused: (peer, error) => {
      const { code, message: reason } = error;
      const limit = error instanceof LimitError ? error.limit : undefined;
      if (limit !== undefined) metrics.limitMet(limit);
      const fields = { peer, code, reason, ...(limit === undefined ? {} : { limit }) };
      refusals.warn(`${addressOf(peer)} ${limit ?? code}`, fields, 'stream refused');
    },
    tooFast: (peer) => {
      metrics.limitMet('requestsPerSecond');
      const fields = { peer, setting: LIMIT_SETTINGS.requestsPerSecond };
      paces.warn(addressOf(peer), fields, 'requests of a stream wait: the peer sends them too fast');
    },
  };
}
