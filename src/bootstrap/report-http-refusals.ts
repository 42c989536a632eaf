import type { Clock } from '../base/clock.js';
import type { HttpRefusal } from '../net/http-intake.js';
import { createLimitedLog } from '../telemetry/limited-log.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';

/** The limit that ended a connection or request: a limit of the listener, or of concurrent pages. */
export type RefusalReason = HttpRefusal['reason'] | 'pages';

/** Counts and logs each connection and request that a limit ended. */
export type HttpRefusalReport = (refusal: { readonly peer: string; readonly reason: RefusalReason }) => void;

const SETTING: Readonly<Partial<Record<RefusalReason, string>>> = {
  connections: 'NAV_HTTP_MAX_CONNECTIONS',
  'connections-per-peer': 'NAV_HTTP_MAX_CONNECTIONS_PER_PEER',
};

/** @param listener the flag of its address */
export function reportHttpRefusals(
  listener: string,
  metrics: Metrics,
  logger: Logger,
  clock: Clock,
): HttpRefusalReport {
  const log = createLimitedLog(logger, clock);
  return ({ peer, reason }) => {
    metrics.increment('nav_http_refused_total', { listener, reason });
    const setting = SETTING[reason];
    log.warn({ listener, peer, reason, ...(setting === undefined ? {} : { setting }) }, 'http limit reached');
  };
}
