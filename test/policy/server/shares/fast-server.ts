import { Registry } from 'prom-client';
import { systemClock } from '../../../../src/base/clock.js';
import type { ServiceConfig } from '../../../../src/config/policy/client-config.js';
import type { QuotaLimit } from '../../../../src/config/policy-server/policy-server-config.js';
import { createMemoryStore } from '../../../../src/policy/quota/memory/memory-store.js';
import type { QuotaStore } from '../../../../src/policy/quota/quota-store.js';
import { createQuotaShares, type QuotaShares } from '../../../../src/policy/quota/shares/quota-shares.js';
import { createSharesMetrics } from '../../../../src/policy/quota/shares/shares-metrics.js';
import { createMetrics } from '../../../../src/telemetry/metrics.js';
import { loopbackListener } from '../../../support/grpc-listener.js';
import { createLocalListener } from '../listen-locally.js';
import { createRig } from '../policy-server-rig.js';

/** A policy server with fast quotas in this process. */
export interface FastServer {
  readonly port: number;
  readonly shares: QuotaShares;
  /** Assignments that it has sent. */
  assigned(): number;
  stop(): Promise<void>;
}

export interface FastServerOptions {
  readonly limits: readonly QuotaLimit[];
  readonly service: string;
  /** Charges of the fast rule of the service. */
  readonly charges: Readonly<Record<string, number>>;
  readonly store?: QuotaStore;
  /** Default: any free one. */
  readonly port?: number;
}

export async function startFastServer({
  limits,
  service,
  charges,
  port = 0,
  ...rest
}: FastServerOptions): Promise<FastServer> {
  const store = rest.store ?? createMemoryStore({ clock: systemClock, maxCounters: 1000 });
  const metrics = createSharesMetrics(createMetrics(new Registry()));
  let assigned = 0;
  const shares = createQuotaShares({
    ...{ limits, store, unsharedServers: () => 1, clock: systemClock },
    metrics: {
      ...metrics,
      assigned: () => {
        assigned++;
        metrics.assigned();
      },
    },
    onUnlimited: () => undefined,
    onFailed: () => undefined,
  });
  const quotas = Object.entries(charges).map(([quota, charge]) => ({ quota, charge }));
  const quotaSpec: ServiceConfig['quotaSpec'] = [{ enforcement: 'fast', rules: [{ match: [], quotas }] }];
  const rig = createRig({ clock: systemClock, shares: () => shares, services: { [service]: { quotaSpec } } });
  const listener = createLocalListener(rig.server, { settings: { ...loopbackListener(4_194_304), port } });
  return {
    port: await listener.start(),
    shares,
    assigned: () => assigned,
    stop: async () => {
      await listener.stop(100);
      shares.stop();
      await rig.handlers.close();
    },
  };
}
