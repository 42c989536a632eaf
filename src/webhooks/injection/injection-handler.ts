import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { AdmissionAnswer, AdmissionHandler } from '../admission/admission-answer.js';
import {
  type AdmissionEndpoint,
  type AdmissionObserver,
  createAdmissionEndpoint,
} from '../admission/admission-endpoint.js';
import type { AdmissionRequest } from '../admission/admission-request.js';
import type { ReviewIntake } from '../admission/review-intake.js';
import { type InjectionSettings, type InjectionTools, inject } from './inject.js';
import { InjectionError, type InjectionErrorCode } from './injection-error.js';

export interface InjectionHandlerOptions {
  /** The present settings; undefined if the injector is off because it has no configuration. */
  readonly settings: () => InjectionSettings | undefined;
  readonly tools: InjectionTools;
  readonly metrics: Metrics;
  /** Scope `default`. */
  readonly logger: Logger;
}

/** Errors that the operator must repair, not the author of the pod. */
const OURS: ReadonlySet<InjectionErrorCode> = new Set(['TEMPLATE_FAILED', 'INVALID_OUTPUT']);

/** Answers `/inject` with a patch, without one, or with an error. */
export function createInjectionHandler(options: InjectionHandlerOptions): AdmissionHandler {
  const { settings, tools, metrics, logger } = options;

  const refuse = (message: string, code?: number): AdmissionAnswer => {
    metrics.increment('sidecar_injection_failure_total');
    return { allowed: false, message, ...(code === undefined ? {} : { code }) };
  };

  const decide = (request: AdmissionRequest, path: string): AdmissionAnswer => {
    const { namespace, name, uid } = request;
    const present = settings();
    if (present === undefined) {
      return refuse(
        'the sidecar injector is off: it has no configuration; apply manifests/35-injection.yaml, or give meshd the files config and values',
        503,
      );
    }
    try {
      const decision = inject({ ...request, path }, present, tools);
      if (decision.type === 'skip') {
        const { reason } = decision;
        if (reason === 'POLICY_UNKNOWN') {
          logger.error(
            { namespace, name, policy: present.config.policy },
            'unknown policy of the injector, pod is not injected',
          );
        } else logger.debug({ namespace, name, uid, reason }, 'pod is not injected');
        metrics.increment('sidecar_injection_skip_total');
        return { allowed: true, ...(decision.warnings === undefined ? {} : { warnings: decision.warnings }) };
      }
      logger.debug({ namespace, name, uid, operations: decision.patch.length }, 'pod is injected');
      metrics.increment('sidecar_injection_success_total');
      return { allowed: true, patch: decision.patch, warnings: decision.warnings };
    } catch (err) {
      if (!(err instanceof InjectionError)) throw err;
      logger.warn({ err, namespace, name, uid }, 'pod rejected, because it cannot be injected');
      return refuse(err.message, OURS.has(err.code) ? 500 : undefined);
    }
  };

  // For a hostile pod, a template may take a second.
  return (request, { path, signal, pace }) => pace.run(() => decide(request, path), signal);
}

/** Counts the calls that end before the handler runs. */
export function createInjectionObserver(metrics: Metrics): AdmissionObserver {
  return {
    received: () => metrics.increment('sidecar_injection_requests_total'),
    httpError: () => metrics.increment('sidecar_injection_failure_total'),
    undecodable: () => metrics.increment('sidecar_injection_failure_total'),
  };
}

export interface InjectionEndpointOptions extends InjectionHandlerOptions {
  readonly clock: Clock;
  /** Shared with the other endpoints of the server. */
  readonly intake: ReviewIntake;
}

/** `/inject` and the paths below it. */
export function createInjectionEndpoint(options: InjectionEndpointOptions): AdmissionEndpoint {
  const { metrics, logger, clock, intake } = options;
  const observer = createInjectionObserver(metrics);
  return createAdmissionEndpoint({ handler: createInjectionHandler(options), observer, logger, clock, intake });
}
