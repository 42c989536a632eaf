import type { RpcCode } from '../../base/rpc-code.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { ClientCounter } from '../client/client-statistics.js';
import type { PlanRefusal } from '../plans/assess-plans.js';
import type { RefusalReason } from './callers/caller.js';
import type { ReportSeries } from './reports/report-series.js';
import type { FailureReason } from './request-verdict.js';

export type CheckProtocol = 'http' | 'tcp';

/** Why a report, or a message of reports, was lost. */
export type ReportFailure = 'message' | 'internal' | 'backend';

/** Metrics of the policy server. */
export interface PolicyServerMetrics {
  checked(protocol: CheckProtocol, code: RpcCode, durationMs: number): void;
  /** A call without an answer, or with the answer of its fail policy. */
  checkFailed(reason: 'message' | 'config' | 'internal'): void;
  /** A check that the fail policy answered because the server was overloaded. */
  shed(protocol: CheckProtocol, answer: 'allowed' | 'refused'): void;
  /** A check that its fail policy answered. */
  failPolicyAnswered(protocol: CheckProtocol, reason: FailureReason, answer: 'allowed' | 'refused'): void;
  /** A request that passed, and that an object in a dry run would have refused. @param name of the rule or quota */
  dryRunRefused(by: 'rule' | 'quota', name: string): void;
  /** The share of checks that are shed, from 0 to 1. */
  shedShare(share: number): void;
  unknownService(protocol: CheckProtocol): void;
  /** A call that the identity of the caller does not permit. */
  refused(reason: RefusalReason): void;
  /** An outbound Check that was allowed without charging anything. */
  uncharged(): void;
  /** A request that the plans of its service refused. */
  planRefused(reason: PlanRefusal): void;
  /** A Check that an unusable rule may concern. */
  undecided(protocol: CheckProtocol): void;
  /** The number of unusable parts of policies. */
  policyPartsLeftOut(scope: 'service' | 'message', count: number): void;
  regexesChanged(bytes: number, count: number): void;
  regexEvicted(): void;
  reported(series: ReportSeries): void;
  clientCounted(counter: ClientCounter, by: number): void;
  /** @param count reports, or messages that could not be read */
  reportsFailed(reason: ReportFailure, count: number): void;
}

const MS_PER_SECOND = 1000;

export function createPolicyServerMetrics(metrics: Metrics): PolicyServerMetrics {
  return {
    checked: (protocol, code, durationMs) => {
      metrics.increment('policy_server_checks_total', { protocol, code });
      metrics.observe('policy_server_check_duration_seconds', { protocol }, durationMs / MS_PER_SECOND);
    },
    checkFailed: (reason) => metrics.increment('policy_server_check_failures_total', { reason }),
    refused: (reason) => metrics.increment('policy_server_refused_calls_total', { reason }),
    uncharged: () => metrics.increment('policy_server_uncharged_checks_total'),
    planRefused: (reason) => metrics.increment('policy_server_plan_refusals_total', { reason }),
    undecided: (protocol) => metrics.increment('policy_server_undecided_checks_total', { protocol }),
    policyPartsLeftOut: (scope, count) =>
      metrics.increment('policy_server_policy_parts_left_out_total', { scope }, count),
    regexesChanged: (bytes, count) => {
      metrics.set('policy_server_regex_bytes', bytes);
      metrics.set('policy_server_regex_programs', count);
    },
    regexEvicted: () => metrics.increment('policy_server_regex_evictions_total'),
    shed: (protocol, answer) => metrics.increment('policy_server_shed_checks_total', { protocol, answer }),
    failPolicyAnswered: (protocol, reason, answer) =>
      metrics.increment('policy_server_fail_policy_answers_total', { protocol, reason, answer }),
    dryRunRefused: (by, name) => metrics.increment('policy_server_dry_run_refusals_total', { by, name }),
    shedShare: (share) => metrics.set('policy_server_shed_share', share),
    unknownService: (protocol) => metrics.increment('policy_server_unknown_service_checks_total', { protocol }),
    reported: (series) => recordSeries(metrics, series),
    clientCounted: (counter, by) => metrics.increment('policy_server_client_events_total', { counter }, by),
    reportsFailed: (reason, count) => metrics.increment('policy_server_report_failures_total', { reason }, count),
  };
}

function recordSeries(metrics: Metrics, series: ReportSeries): void {
  const { reporter, service } = series;
  const labels = { reporter, service };
  switch (series.type) {
    case 'http': {
      const { operation, responseCode, durationMs, requestBytes, responseBytes } = series;
      metrics.increment('policy_server_requests_total', { ...labels, operation, response_code: responseCode });
      if (durationMs !== undefined) {
        metrics.observe('policy_server_request_duration_seconds', labels, durationMs / MS_PER_SECOND);
      }
      metrics.increment('policy_server_request_bytes_total', labels, requestBytes);
      metrics.increment('policy_server_response_bytes_total', labels, responseBytes);
      break;
    }
    case 'tcp':
      metrics.increment('policy_server_connection_events_total', { ...labels, event: series.event });
      metrics.increment('policy_server_connection_received_bytes_total', labels, series.receivedBytes);
      metrics.increment('policy_server_connection_sent_bytes_total', labels, series.sentBytes);
      break;
  }
}
