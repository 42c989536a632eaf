import type { Clock } from '../../base/clock.js';
import { apiVersionOf } from '../../config/kind-definition.js';
import type { KindRegistry } from '../../config/kinds.js';
import type { EntryGuard } from '../../model/entries/entry-guard.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { AdmissionAnswer, AdmissionCall, AdmissionHandler } from '../admission/admission-answer.js';
import { type AdmissionEndpoint, createAdmissionEndpoint } from '../admission/admission-endpoint.js';
import type { AdmissionRequest } from '../admission/admission-request.js';
import type { ReviewIntake } from '../admission/review-intake.js';
import type { CandidateWarnings } from './candidate-warnings.js';
import { judgeRequest } from './judge-request.js';
import type { RegexAdmission } from './regex-admission.js';
import type { FailureReason, ValidationDecision } from './validation-decision.js';
import { messageLine, unknownFieldLine } from './warning-lines.js';

export interface ValidationOptions {
  readonly kinds: KindRegistry;
  readonly metrics: Metrics;
  /** Scope `validation`. */
  readonly logger: Logger;
  readonly warnings: Pick<CandidateWarnings, 'warningsOf'>;
  /** The facts that decide which namespaces ServiceEntries affect, at the time of the call. Default: unknown. */
  readonly entryGuard?: () => EntryGuard | undefined;
  /** Limits of regular expressions over several objects. Default: none. */
  readonly regexes?: Pick<RegexAdmission, 'refusalOf'>;
}

/** Validates objects of the mesh's kinds for API servers, and counts the answers. */
export function createValidationHandler(options: ValidationOptions): AdmissionHandler {
  const { kinds, metrics, logger, warnings, regexes, entryGuard = () => undefined } = options;
  const labelsOf = createResourceLabels(kinds);
  const countFailed = (request: AdmissionRequest, reason: FailureReason): void =>
    metrics.increment('cfgsrv_validation_failed', { ...labelsOf(request), reason });

  const warningsOf = async (
    { object, unknownFields, concerns = [] }: Extract<ValidationDecision, { readonly type: 'passed' }>,
    { oldObject }: AdmissionRequest,
    { signal, pace }: AdmissionCall,
  ): Promise<readonly string[]> => {
    if (object === undefined) return [];
    const known = [...unknownFields.map(unknownFieldLine), ...concerns.map(messageLine)];
    try {
      const found = await pace.run(() => warnings.warningsOf(object, oldObject === undefined, signal), signal);
      return [...known, ...found];
    } catch (err) {
      const { namespace, name } = object.metadata;
      logger.error({ err, kind: object.kind, namespace, name }, 'finding warnings about an object failed');
      return known;
    }
  };

  return async (request, call) => {
    const { signal, pace } = call;
    const verdict = await pace.run(() => {
      const alone = judgeRequest(request, kinds, entryGuard());
      const message = alone.type === 'passed' && alone.object !== undefined && regexes?.refusalOf(alone.object);
      return message ? ({ type: 'refused', reason: 'invalid_resource', message } as const) : alone;
    }, signal);
    switch (verdict.type) {
      case 'passed':
        metrics.increment('cfgsrv_validation_passed', labelsOf(request));
        return { allowed: true, warnings: await warningsOf(verdict, request, call) };
      case 'unsupported':
        countFailed(request, verdict.reason);
        return { allowed: true };
      case 'refused': {
        const { reason, message } = verdict;
        countFailed(request, reason);
        const { uid, namespace, name } = request;
        logger.debug({ uid, kind: request.kind.kind, namespace, name, reason, message }, 'object rejected');
        return refusal(reason, message);
      }
    }
  };
}

function refusal(reason: FailureReason, message: string): AdmissionAnswer {
  return reason === 'invalid_resource'
    ? { allowed: false, message, code: 422, reason: 'Invalid' }
    : { allowed: false, message, code: 400, reason: 'BadRequest' };
}

type ResourceLabels = Readonly<Record<'group' | 'version' | 'resource', string>>;

const UNKNOWN: ResourceLabels = { group: 'unknown', version: 'unknown', resource: 'unknown' };

/** Labels of metrics: unknown kinds share one series, so that callers cannot create series. */
function createResourceLabels({ definitions }: KindRegistry): (request: AdmissionRequest) => ResourceLabels {
  const known = new Set(
    definitions.flatMap((definition) =>
      definition.versions.map((version) => `${apiVersionOf(definition, version)}/${definition.plural}`),
    ),
  );
  return ({ resource: { group, version, resource } }) =>
    known.has(`${group}/${version}/${resource}`) ? { group, version, resource } : UNKNOWN;
}

export interface ValidationEndpointOptions extends ValidationOptions {
  readonly clock: Clock;
  /** Shared with the other endpoints of the server. */
  readonly intake: ReviewIntake;
}

/** `/validate`. Counts HTTP errors by status. */
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
