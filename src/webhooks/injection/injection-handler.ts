import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { AdmissionAnswer, AdmissionHandler } from '../admission/admission-answer.js';
import type { AdmissionObserver } from '../admission/admission-endpoint.js';
import type { AdmissionRequest } from '../admission/admission-request.js';
import { type InjectionSettings, type InjectionTools, inject } from './inject.js';
import { InjectionError, type InjectionErrorCode } from './injection-error.js';

export interface InjectionHandlerOptions {
  /** What is injected at present; undefined while the injector is off, for it has no configuration. */
  readonly settings: () => InjectionSettings | undefined;
  readonly tools: InjectionTools;
  readonly metrics: Metrics;
  /** Scope `default`. */
  readonly logger: Logger;
}

/** What is the operator's to repair, not the pod's author's. */
const OURS: ReadonlySet<InjectionErrorCode> = new Set(['TEMPLATE_FAILED', 'INVALID_OUTPUT']);

/** Answers `/inject` (BEHAVIOUR 3): a patch, nothing, or a refusal that says why. */
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
            'policy of the injector is unknown, nothing is injected',
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
      logger.warn({ err, namespace, name, uid }, 'pod cannot be injected and is refused');
      return refuse(err.message, OURS.has(err.code) ? 500 : undefined);
    }
  };

  // For a pod that is made for it, a template may take a second.
  return (request, { path, signal, pace }) => pace.run(() => decide(request, path), signal);
}

/** Counts what happens before the handler is asked (BEHAVIOUR 3, "Common envelope"). */
export function createInjectionObserver(metrics: Metrics): AdmissionObserver {
  return {
    received: () => metrics.increment('sidecar_injection_requests_total'),
    httpError: () => metrics.increment('sidecar_injection_failure_total'),
    undecodable: () => metrics.increment('sidecar_injection_failure_total'),
  };
}
