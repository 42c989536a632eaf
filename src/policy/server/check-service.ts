import { rpcCodeNumber } from '../../base/rpc-code.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import { isTcpCheck } from './adapter/check-facts.js';
import { type CheckMetadata, checkMetadataStruct } from './adapter/check-metadata.js';
import { httpCheckResponse, tcpCheckResponse } from './adapter/check-response.js';
import type { Admission } from './admission.js';
import { CallConfigError } from './call-configs.js';
import { CallerRefusedError } from './callers/caller.js';
import type { CheckCall } from './check-call.js';
import type { CheckEnvironment, Decided } from './decide.js';
import { decideHttp } from './decide-http.js';
import { decideTcp } from './decide-tcp.js';
import { type EnvoyCodec, EnvoyMessageError } from './envoy-codec.js';
import type { PolicyServerMetrics } from './policy-server-metrics.js';
import { createShedAnswers } from './shed-answers.js';

/** Answers Envoy's Checks. */
export interface CheckService {
  /**
   * @param bytes an envoy.service.auth.v3.CheckRequest
   * @returns an envoy.service.auth.v3.CheckResponse
   * @throws CallerRefusedError when the caller may not ask
   * @throws EnvoyMessageError, CallConfigError without enough data for a decision: the fail policy of the proxy's
   *   filter decides
   */
  check(bytes: Uint8Array, call: CheckCall): Promise<Buffer>;
}

export interface CheckServiceOptions {
  readonly codec: EnvoyCodec;
  readonly environment: CheckEnvironment;
  readonly metrics: PolicyServerMetrics;
  readonly limitedLog: LimitedLog;
  /**
   * Makes ids of connections that their calls do not name: `<uuid>-<n>`
   * (docs/reference/policy-client.md#tcp-attributes).
   */
  readonly newConnectionId: () => string;
  readonly admission: Admission;
}

export function createCheckService(options: CheckServiceOptions): CheckService {
  const { codec, environment, metrics, limitedLog, newConnectionId, admission } = options;
  const { clock, configs, services } = environment;
  const shed = createShedAnswers({ codec, configs, services, metrics });

  const answer = async (bytes: Uint8Array, call: CheckCall, startMs: number): Promise<Buffer> => {
    const message = codec.decodeCheckRequest(bytes);
    const protocol = isTcpCheck(message) ? 'tcp' : 'http';
    const decided = await (protocol === 'tcp'
      ? decideTcp(environment, message, call, newConnectionId)
      : decideHttp(environment, message, call));
    const metadata = checkMetadataStruct(metadataOf(decided));
    const { decision, context } = decided;
    const response = codec.encodeCheckResponse(
      protocol === 'tcp'
        ? tcpCheckResponse(decision, metadata)
        : httpCheckResponse(decision, metadata, context.config.claims.side),
    );
    const { status, failure } = decision;
    metrics.checked(protocol, status.code, clock.monotonicMs() - startMs);
    if (failure !== undefined) {
      metrics.failPolicyAnswered(protocol, failure, status.code === 'OK' ? 'allowed' : 'refused');
    }
    if (!decided.isServiceKnown) metrics.unknownService(protocol);
    return response;
  };

  return {
    async check(bytes, call) {
      const startMs = clock.monotonicMs();
      const isAdmitted = admission.admit(startMs, call.peer ?? '');
      try {
        return isAdmitted ? await answer(bytes, call, startMs) : shed(bytes, call);
      } catch (error) {
        if (error instanceof CallerRefusedError) throw error;
        metrics.checkFailed(failureReason(error));
        limitedLog.error({ err: error }, 'check not answered, the fail policy of its proxy decides');
        throw error;
      } finally {
        if (isAdmitted) admission.end();
      }
    },
  };
}

function failureReason(error: unknown): 'message' | 'config' | 'internal' {
  if (error instanceof EnvoyMessageError) return 'message';
  return error instanceof CallConfigError ? 'config' : 'internal';
}

function metadataOf({ context, decision, texts }: Decided): CheckMetadata {
  const { status, isCheckCacheHit, isQuotaCacheHit } = decision;
  return {
    service: context.host,
    staticAttributes: context.config.staticText,
    forwardedAttributes: texts.forwarded,
    requestAttributes: texts.request,
    disableReports: context.config.disableReportCalls,
    decision: {
      checkErrorCode: rpcCodeNumber(status.code),
      checkErrorMessage: status.message,
      isCheckCacheHit,
      isQuotaCacheHit,
    },
  };
}
