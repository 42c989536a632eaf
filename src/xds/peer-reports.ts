import type { Clock } from '../base/clock.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { Logger } from '../telemetry/logger.js';
import { createPeerLog, type PeerLog } from '../telemetry/peer-log.js';
import { createSubjectLog } from '../telemetry/subject-log.js';
import { LimitError } from './limits/limit-error.js';
import { addressOf } from './limits/peer-key.js';
import { LIMIT_SETTINGS } from './limits/xds-limits.js';
import type { StreamError } from './stream-error.js';

/** Counts and logs what peers do over and over; the logs are bounded per peer. */
export interface PeerReports {
  /** Rejections, of which a proxy can send any number. */
  readonly rejectionLog: PeerLog;
  /** Our side ends a stream. */
  refused(peer: string, error: StreamError): void;
  /** A stream sends requests faster than they are read. */
  tooFast(peer: string): void;
}

export function createPeerReports(metrics: Pick<PushMetrics, 'limitMet'>, logger: Logger, clock: Clock): PeerReports {
  // A peer that comes again has another port, and may think up another reason each time.
  const refusals = createSubjectLog(logger, clock);
  const paces = createSubjectLog(logger, clock);
  return {
    rejectionLog: createPeerLog(logger, clock),
    refused: (peer, error) => {
      const { code, message: reason } = error;
      const limit = error instanceof LimitError ? error.limit : undefined;
      if (limit !== undefined) metrics.limitMet(limit);
      const fields = { peer, code, reason, ...(limit === undefined ? {} : { limit }) };
      refusals.warn(`${addressOf(peer)} ${limit ?? code}`, fields, 'Stream refused');
    },
    tooFast: (peer) => {
      metrics.limitMet('requestsPerSecond');
      const fields = { peer, setting: LIMIT_SETTINGS.requestsPerSecond };
      paces.warn(addressOf(peer), fields, 'requests of a stream wait: the peer sends them too fast');
    },
  };
}
