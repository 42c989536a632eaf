import { rpcCodeNumber } from '../../base/rpc-code.js';
import type { ServiceCallConfig } from '../client/policy-client.js';
import { OK_STATUS, type PolicyStatus } from '../client/policy-status.js';
import type { CheckMetadata } from './adapter/check-metadata.js';
import type { CallConfig, CallConfigs } from './call-configs.js';
import type { CheckCall } from './check-call.js';
import type { CompiledServices } from './compiled-services.js';
import type { CheckProtocol, PolicyServerMetrics } from './policy-server-metrics.js';
import type { CheckSide } from './request-verdict.js';

/** What the fail policy decides about a Check that the server has no time for, without a charge. */
export interface ShedDecision {
  readonly asker: CheckSide | 'tcp';
  readonly status: PolicyStatus;
  readonly service: string | undefined;
  /** Of the proxy's own configuration. */
  readonly staticAttributes: string;
  readonly disableReports: boolean;
}

/**
 * The fail policy is that of the service, else that of the calling proxy, as after an internal failure. Metrics count
 * each decision.
 */
export interface ShedDecisions {
  /** @throws CallConfigError when the fail policy is unknown */
  http(call: CheckCall, routeService: string | undefined): ShedDecision;
  /** @throws CallConfigError */
  tcp(call: CheckCall): ShedDecision;
}

export interface ShedDecisionsOptions {
  readonly configs: CallConfigs;
  readonly services: Pick<CompiledServices, 'find'>;
  readonly metrics: Pick<PolicyServerMetrics, 'shed' | 'failPolicyAnswered'>;
}

/** The text for reports, logs and refused callers. */
const OVERLOADED = 'The policy server is overloaded: the fail policy answers';
const REFUSED: PolicyStatus = { code: 'UNAVAILABLE', message: OVERLOADED };

export function createShedDecisions({ configs, services, metrics }: ShedDecisionsOptions): ShedDecisions {
  const decide = (protocol: CheckProtocol, config: CallConfig, service: string | undefined): ShedDecision => {
    const isAllowed = isAllowedWithoutCheck(config, services.find(service).calls);
    const answered = isAllowed ? 'allowed' : 'refused';
    metrics.shed(protocol, answered);
    metrics.failPolicyAnswered(protocol, 'overloaded', answered);
    return {
      asker: protocol === 'tcp' ? 'tcp' : config.claims.side,
      status: isAllowed ? OK_STATUS : REFUSED,
      service,
      staticAttributes: config.staticText,
      disableReports: config.disableReportCalls,
    };
  };
  return {
    http: (call, routeService) => {
      const config = configs.http(call.configText);
      return decide('http', config, routeService ?? call.service ?? config.defaultService);
    },
    tcp: (call) => {
      const config = configs.tcp(call.configText);
      return decide('tcp', config, call.service ?? config.defaultService);
    },
  };
}

/** What the report of a shed Check needs to know about it. */
export function shedMetadataOf({ status, service, staticAttributes, disableReports }: ShedDecision): CheckMetadata {
  const decision = { checkErrorCode: rpcCodeNumber(status.code), checkErrorMessage: OVERLOADED };
  return { service, staticAttributes, decision, disableReports, isShed: true };
}

function isAllowedWithoutCheck(config: CallConfig, calls: ServiceCallConfig): boolean {
  if (config.disableCheckCalls || calls.disableCheckCalls) return true;
  const { policy = 'FAIL_OPEN' } = calls.networkFailPolicy ?? config.transport.networkFailPolicy ?? {};
  return policy === 'FAIL_OPEN';
}
