import type { Clock } from '../../telemetry/clock.js';
import { type AdmissionEndpoint, createAdmissionEndpoint } from '../admission/admission-endpoint.js';
import type { BodyBudget } from '../admission/body-budget.js';
import { createInjectionHandler, createInjectionObserver, type InjectionHandlerOptions } from './injection-handler.js';

export interface InjectionEndpointOptions extends InjectionHandlerOptions {
  readonly clock: Clock;
  /** Shared with the other endpoints of the server. */
  readonly budget: BodyBudget;
}

/** `/inject` and the paths below it (BEHAVIOUR 3). */
export function createInjectionEndpoint(options: InjectionEndpointOptions): AdmissionEndpoint {
  const { metrics, logger, clock, budget } = options;
  const observer = createInjectionObserver(metrics);
  return createAdmissionEndpoint({ handler: createInjectionHandler(options), observer, logger, clock, budget });
}
