import type { Clock } from '../../base/clock.js';
import { type AdmissionEndpoint, createAdmissionEndpoint } from '../admission/admission-endpoint.js';
import type { ReviewIntake } from '../admission/review-intake.js';
import { createInjectionHandler, createInjectionObserver, type InjectionHandlerOptions } from './injection-handler.js';

export interface InjectionEndpointOptions extends InjectionHandlerOptions {
  readonly clock: Clock;
  /** Shared with the other endpoints of the server. */
  readonly intake: ReviewIntake;
}

/** `/inject` and the paths below it (BEHAVIOUR 3). */
export function createInjectionEndpoint(options: InjectionEndpointOptions): AdmissionEndpoint {
  const { metrics, logger, clock, intake } = options;
  const observer = createInjectionObserver(metrics);
  return createAdmissionEndpoint({ handler: createInjectionHandler(options), observer, logger, clock, intake });
}
