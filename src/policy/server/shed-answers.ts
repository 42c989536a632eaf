import { rpcCodeNumber } from '../../base/rpc-code.js';
import type { ServiceCallConfig } from '../client/policy-client.js';
import { OK_STATUS, type PolicyStatus } from '../client/policy-status.js';
import { SERVICE_EXTENSION } from '../wire/call-metadata.js';
import { checkMetadataStruct } from './adapter/check-metadata.js';
import { readCheckOutline } from './adapter/check-outline.js';
import { type CheckSide, shedCheckResponse } from './adapter/check-response.js';
import { createBoundedMemo } from './bounded-memo.js';
import type { CallConfig, CallConfigs } from './call-configs.js';
import type { CheckCall } from './check-call.js';
import type { CompiledServices } from './compiled-services.js';
import { type EnvoyCodec, EnvoyMessageError } from './envoy-codec.js';
import type { PolicyServerMetrics } from './policy-server-metrics.js';

export interface ShedAnswersOptions {
  readonly codec: EnvoyCodec;
  readonly configs: CallConfigs;
  readonly services: Pick<CompiledServices, 'find'>;
  readonly metrics: Pick<PolicyServerMetrics, 'shed' | 'failPolicyAnswered'>;
}

/** Answers a Check by its fail policy, without a charge, when the server has no time to decide. */
export type ShedAnswers = (bytes: Uint8Array, call: CheckCall) => Buffer;

/** The text for reports, logs and refused callers. */
const OVERLOADED = 'The policy server is overloaded: the fail policy answers';
/** A few answers for each service and configuration: nearly all answers repeat earlier bytes. */
const MEMO = { entries: 4096, maxKeyLength: 8192, characters: 4_000_000 };

/**
 * Reads only the host of the service from the message. The fail policy is that of the service, else that of the calling
 * proxy, as after an internal failure.
 *
 * @returns a function that throws EnvoyMessageError and CallConfigError when the fail policy is unknown
 */
export function createShedAnswers({ codec, configs, services, metrics }: ShedAnswersOptions): ShedAnswers {
  const outlineOf = (bytes: Uint8Array) => {
    try {
      return readCheckOutline(bytes, SERVICE_EXTENSION);
    } catch (cause) {
      throw new EnvoyMessageError('envoy.service.auth.v3.CheckRequest', { cause });
    }
  };
  const encode = createBoundedMemo(MEMO, (key) => {
    const { asker, isAllowed, service, config } = JSON.parse(key) as AnswerKey;
    const status: PolicyStatus = isAllowed ? OK_STATUS : { code: 'UNAVAILABLE', message: OVERLOADED };
    const decision = { checkErrorCode: rpcCodeNumber(status.code), checkErrorMessage: OVERLOADED };
    const [staticAttributes, disableReports] = config;
    const metadata = checkMetadataStruct({ service, staticAttributes, decision, disableReports, isShed: true });
    return codec.encodeCheckResponse(shedCheckResponse(status, asker, metadata));
  });

  return (bytes, call) => {
    const { isTcp, extension } = outlineOf(bytes);
    const config = isTcp ? configs.tcp(call.configText) : configs.http(call.configText);
    const service = (!isTcp && extension) || (call.service ?? config.defaultService);
    const isAllowed = isAllowedWithoutCheck(config, services.find(service).calls);
    const protocol = isTcp ? 'tcp' : 'http';
    const answered = isAllowed ? 'allowed' : 'refused';
    metrics.shed(protocol, answered);
    metrics.failPolicyAnswered(protocol, 'overloaded', answered);
    const asker = isTcp ? 'tcp' : config.claims.side;
    const key: AnswerKey = { asker, isAllowed, service, config: [config.staticText, config.disableReportCalls] };
    return encode(JSON.stringify(key));
  };
}

/** The data that an answer depends on. */
interface AnswerKey {
  readonly asker: CheckSide | 'tcp';
  readonly isAllowed: boolean;
  readonly service: string | undefined;
  readonly config: readonly [staticText: string, disableReports: boolean];
}

function isAllowedWithoutCheck(config: CallConfig, calls: ServiceCallConfig): boolean {
  if (config.disableCheckCalls || calls.disableCheckCalls) return true;
  const { policy = 'FAIL_OPEN' } = calls.networkFailPolicy ?? config.transport.networkFailPolicy ?? {};
  return policy === 'FAIL_OPEN';
}
