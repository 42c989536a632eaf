import { apiVersionOf } from '../../config/kind-definition.js';
import type { KindRegistry } from '../../config/kinds.js';
import type { EntryGuard } from '../../model/entries/entry-guard.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { AdmissionAnswer, AdmissionCall, AdmissionHandler } from '../admission/admission-answer.js';
import type { AdmissionRequest } from '../admission/admission-request.js';
import type { CandidateWarnings } from './candidate-warnings.js';
import { judgeRequest } from './judge-request.js';
import type { RegexAdmission } from './regex-admission.js';
import type { FailureReason, Verdict } from './verdict.js';
import { messageLine, unknownFieldLine } from './warning-lines.js';

export interface ValidationOptions {
  readonly kinds: KindRegistry;
  readonly metrics: Metrics;
  /** Scope `validation`. */
  readonly logger: Logger;
  readonly warnings: Pick<CandidateWarnings, 'warningsOf'>;
  /** What of the mesh decides how far ServiceEntries act, at the time of the call. Default: not known. */
  readonly entryGuard?: () => EntryGuard | undefined;
  /** By default objects are judged by themselves alone. */
  readonly regexes?: Pick<RegexAdmission, 'refusalOf'>;
}

/** Answers API servers on objects of the mesh's kinds (BEHAVIOUR 3, "Validation"), and counts the answers. */
export function createValidationHandler(options: ValidationOptions): AdmissionHandler {
  const { kinds, metrics, logger, warnings, regexes, entryGuard = () => undefined } = options;
  const labelsOf = createResourceLabels(kinds);
  const countFailed = (request: AdmissionRequest, reason: FailureReason): void =>
    metrics.increment('cfgsrv_validation_failed', { ...labelsOf(request), reason });

  const warningsOf = async (
    { object, unknownFields, concerns = [] }: Extract<Verdict, { readonly type: 'passed' }>,
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
      logger.error({ err, kind: object.kind, namespace, name }, 'Warnings about an object could not be found');
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
        logger.debug({ uid, kind: request.kind.kind, namespace, name, reason, message }, 'An object is refused');
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

/** Whatever callers send, there are only as many series as kinds. */
function createResourceLabels({ definitions }: KindRegistry): (request: AdmissionRequest) => ResourceLabels {
  const known = new Set(
    definitions.flatMap((definition) =>
      definition.versions.map((version) => `${apiVersionOf(definition, version)}/${definition.plural}`),
    ),
  );
  return ({ resource: { group, version, resource } }) =>
    known.has(`${group}/${version}/${resource}`) ? { group, version, resource } : UNKNOWN;
}
