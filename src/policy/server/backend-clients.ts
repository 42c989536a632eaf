import type { Clock } from '../../base/clock.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { PolicyClient, ServiceCallConfig } from '../client/policy-client.js';
import type { TransportConfig } from '../client/transport-timing.js';
import { boundReports } from './bounded-reports.js';
import { createClientCounters } from './client-counters.js';
import type { PolicyBackend } from './policy-backend.js';
import { createPolicyClients, type PolicyClients } from './policy-clients.js';
import type { PolicyServerMetrics } from './policy-server-metrics.js';

export interface BackendClientsOptions {
  readonly backend: PolicyBackend;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Makes a UUID. */
  readonly createId: () => string;
  readonly metrics: PolicyServerMetrics;
  readonly limitedLog: LimitedLog;
}

/** The policy clients of the current backend. */
export interface BackendClients {
  clientFor(transport: TransportConfig): PolicyClient;
  /** Sends a report on, in batches, to a backend that takes reports. */
  report(attributes: AttributeBag, service: ServiceCallConfig): void;
  useBackend(backend: PolicyBackend): void;
  /** Settles when the reports of all backends, also of earlier ones, have been sent. */
  close(): Promise<void>;
}

/** Before the first Check reports go on with the defaults of SPEC 2.12. */
const REPORT_TRANSPORT: TransportConfig = {};

export function createBackendClients(options: BackendClientsOptions): BackendClients {
  const { metrics, limitedLog } = options;
  const countersOf = createClientCounters(metrics.clientCounted);
  const closing = new Set<Promise<void>>();
  let backend: PolicyBackend;
  let clients: PolicyClients;
  // Access logs do not say how their proxy batches. Checks do, and all proxies have it of the one mesh config.
  let lastTransport = REPORT_TRANSPORT;

  const use = (next: PolicyBackend): void => {
    backend = next;
    const transport = boundReports(next.transport, (count, error) => {
      metrics.reportsFailed('backend', count);
      limitedLog.warn({ err: error, reports: count }, 'Reports were lost: the policy backend did not take them');
    });
    clients = createPolicyClients({ ...next, transport }, { ...options, countersOf });
  };
  const closeClients = (): void => {
    const closed = clients.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  use(options.backend);

  return {
    clientFor: (transport) => {
      lastTransport = transport;
      return clients.clientFor(transport);
    },
    report: (attributes, service) => {
      if (!backend.isLocal) clients.clientFor(lastTransport).report({ attributes, service });
    },
    useBackend: (next) => {
      closeClients();
      use(next);
    },
    async close() {
      closeClients();
      await Promise.all(closing);
    },
  };
}
