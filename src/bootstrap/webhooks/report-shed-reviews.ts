import type { Clock } from '../../base/clock.js';
import { createLimitedLog } from '../../telemetry/limited-log.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { ReviewCaller } from '../../webhooks/admission/review-caller.js';
import type { ShedReason } from '../../webhooks/admission/review-intake.js';

const SETTING: Readonly<Partial<Record<ShedReason, string>>> = {
  bytes: 'NAV_WEBHOOK_BODY_BYTES',
  'parsed-size': 'NAV_WEBHOOK_PARSED_BYTES',
  'queue-time': 'NAV_WEBHOOK_QUEUE_TIMEOUT',
};

/** Counts and logs the reviews that are turned away under load. */
export function reportShedReviews(
  metrics: Metrics,
  logger: Logger,
  clock: Clock,
): (caller: ReviewCaller, reason: ShedReason) => void {
  const log = createLimitedLog(logger, clock);
  return ({ source, isTrusted }, reason) => {
    const caller = isTrusted ? 'certificate' : 'anonymous';
    metrics.increment('nav_webhook_shed_total', { caller, reason });
    const setting = SETTING[reason];
    log.warn(
      { peer: source, caller, reason, ...(setting === undefined ? {} : { setting }) },
      'webhook review turned away',
    );
  };
}
