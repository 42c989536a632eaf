import { type AdmissionEndpoint, createAdmissionEndpoint } from '../admission/admission-endpoint.js';
import type { BodyBudget } from '../admission/body-budget.js';
import { createValidationHandler, type ValidationOptions } from './validation-handler.js';

export interface ValidationEndpointOptions extends ValidationOptions {
  /** Shared with the other endpoints of the server. */
  readonly budget: BodyBudget;
}

/** `/validate` (BEHAVIOUR 3). HTTP errors are counted by status. */
export function createValidationEndpoint(options: ValidationEndpointOptions): AdmissionEndpoint {
  const { metrics, logger, clock, budget } = options;
  return createAdmissionEndpoint({
    handler: createValidationHandler(options),
    observer: {
      httpError: (status) => metrics.increment('cfgsrv_validation_http_error', { status: String(status) }),
    },
    logger,
    clock,
    budget,
  });
}
