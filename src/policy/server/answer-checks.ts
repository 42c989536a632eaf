import type { Clock } from '../../base/clock.js';
import { rpcCodeNumber } from '../../base/rpc-code.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import { dryRunText } from '../client/dry-run.js';
import type { CheckMetadata } from './adapter/check-metadata.js';
import type { Admission } from './admission.js';
import { CallConfigError } from './call-configs.js';
import { CallerRefusedError } from './callers/caller.js';
import type { Decided } from './decide.js';
import { EnvoyMessageError } from './envoy-codec.js';
import { CheckHeadError } from './http/check-head-error.js';
import type { PolicyServerMetrics } from './policy-server-metrics.js';

/** One Check, as the protocol of its call answers it. */
export interface AnswerableCheck<Answer> {
  /** Identity or address of the caller, for a fair share of the server. */
  readonly peer: string;
  /** Decides, unless the server is overloaded. */
  decide(): Decided | Promise<Decided>;
  /** Writes the answer. */
  answer(decided: Decided): Answer;
  /** Answers by the fail policy alone, without a charge. */
  shed(): Answer;
}

/**
 * Answers Checks of all protocols: admits as many as the server can decide, counts, and logs failures. A Check that need
 * not wait costs no promise.
 *
 * @throws CallerRefusedError when the caller may not ask
 * @throws EnvoyMessageError, CheckHeadError, CallConfigError without enough data for a decision: the fail policy of the proxy's filter
 *   decides
 */
export type AnswerCheck = <Answer>(check: AnswerableCheck<Answer>) => Answer | Promise<Answer>;

export interface AnswerChecksOptions {
  readonly metrics: PolicyServerMetrics;
  readonly limitedLog: LimitedLog;
  readonly admission: Admission;
  readonly clock: Clock;
}

export function createAnswerChecks({ metrics, limitedLog, admission, clock }: AnswerChecksOptions): AnswerCheck {
  const count = ({ context: { protocol }, decision, isServiceKnown }: Decided, startMs: number): void => {
    const { status, failure } = decision;
    metrics.checked(protocol, status.code, clock.monotonicMs() - startMs);
    if (failure !== undefined) {
      metrics.failPolicyAnswered(protocol, failure, status.code === 'OK' ? 'allowed' : 'refused');
    }
    if (!isServiceKnown) metrics.unknownService(protocol);
    if (decision.dryRun !== undefined) for (const { by, name } of decision.dryRun) metrics.dryRunRefused(by, name);
  };
  const failed = (error: unknown): never => {
    if (error instanceof CallerRefusedError) throw error;
    metrics.checkFailed(failureReason(error));
    limitedLog.error({ err: error }, 'check not answered, the fail policy of its proxy decides');
    throw error;
  };

  return (check) => {
    const startMs = clock.monotonicMs();
    if (!admission.admit(startMs, check.peer)) {
      try {
        return check.shed();
      } catch (error) {
        return failed(error);
      }
    }
    const finish = (decided: Decided) => {
      const answer = check.answer(decided);
      count(decided, startMs);
      return answer;
    };
    try {
      const decided = check.decide();
      if (decided instanceof Promise) return decided.then(finish).catch(failed).finally(admission.end);
      const answer = finish(decided);
      admission.end();
      return answer;
    } catch (error) {
      admission.end();
      return failed(error);
    }
  };
}

/** What the report of a decided Check needs to know about it. */
export function checkMetadataOf({ context, decision, texts }: Decided): CheckMetadata {
  const { status, isCheckCacheHit, isQuotaCacheHit, refund, dryRun } = decision;
  return {
    service: context.host,
    staticAttributes: context.config.staticText,
    forwardedAttributes: texts.forwarded,
    requestAttributes: texts.request,
    refund,
    disableReports: context.config.disableReportCalls,
    decision: {
      checkErrorCode: rpcCodeNumber(status.code),
      checkErrorMessage: status.message,
      isCheckCacheHit,
      isQuotaCacheHit,
      ...(dryRun !== undefined && { dryRun: dryRunText(dryRun) }),
    },
  };
}

function failureReason(error: unknown): 'message' | 'config' | 'internal' {
  if (error instanceof EnvoyMessageError || error instanceof CheckHeadError) return 'message';
  return error instanceof CallConfigError ? 'config' : 'internal';
}
