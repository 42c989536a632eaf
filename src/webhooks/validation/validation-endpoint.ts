import type { Clock } from '../../base/clock.js';
import { type AdmissionEndpoint, createAdmissionEndpoint } from '../admission/admission-endpoint.js';
import type { ReviewIntake } from '../admission/review-intake.js';
import { createValidationHandler, type ValidationOptions } from './validation-handler.js';

export interface ValidationEndpointOptions extends ValidationOptions {
  readonly clock: Clock;
  /** Shared with the other endpoints of the server. */
  readonly intake: ReviewIntake;
}

/** `/validate` (BEHAVIOUR 3). HTTP errors are counted by status. */
export function createValidationEndpoint(options: ValidationEndpointOptions): AdmissionEndpoint {
  const { metrics, logger, clock, intake } = options;
  return createAdmissionEndpoint({
    handler: createValidationHandler(options),
    observer: {
      httpError: (status) => metrics.increment('cfgsrv_validation_http_error', { status: String(status) }),
    },
    logger,
    clock,
    intake,
  });
}
