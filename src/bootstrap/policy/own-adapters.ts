import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { createEgressRules } from '../../net/egress/egress-rules.js';
import type { ResolveName } from '../../net/egress/guarded-lookup.js';
import { buildOwnAdapter } from '../../policy/own-adapters/build-own-adapter.js';
import { createOwnAdapterMetrics } from '../../policy/own-adapters/own-adapter-metrics.js';
import type { AdapterEnvironment } from '../../policy/rules/adapters/adapter.js';
import { createReportBudget } from '../../policy/rules/reports/report-budget.js';
import { createLimitedLog } from '../../telemetry/limited-log.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';

export interface OwnAdapterParts {
  /** NAV_EGRESS_ALLOWED */
  readonly egressAllowed: readonly string[];
  /** Default: the resolver of the system. */
  readonly resolveName?: ResolveName;
  /** NAV_ADAPTER_CREDENTIALS_DIR */
  readonly credentialsFolder: string;
  /** BYPASS_OOP_MTLS_SAN_VERIFICATION */
  readonly bypassesNames: boolean;
  readonly outgoing: OutgoingCalls;
  readonly metrics: Metrics;
  /** Of scope `grpcAdapter`. */
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Calls adapters that are programs of their own. The memory for reports that wait is of all handlers together. */
export function createOwnAdapters(parts: OwnAdapterParts): AdapterEnvironment['buildOwn'] {
  const { egressAllowed, metrics, logger, clock } = parts;
  const prefix = randomUUID();
  let calls = 0;
  const environment = {
    ...parts,
    rules: createEgressRules(egressAllowed),
    budget: createReportBudget(),
    createId: () => `${prefix}-${++calls}`,
    metrics: createOwnAdapterMetrics(metrics),
    limitedLog: createLimitedLog(logger, clock),
    random: Math.random,
  };
  return (handler, use) => buildOwnAdapter(handler, use, environment);
}
