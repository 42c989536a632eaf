import type { Clock } from '../../base/clock.js';
import { createPolicyClient, type PolicyClient } from '../client/policy-client.js';
import type { TransportConfig } from '../client/transport-timing.js';
import type { ClientCountersPublisher } from './client-counters.js';
import type { PolicyBackend } from './policy-backend.js';

export interface PolicyClientsOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Makes a UUID. */
  readonly createId: () => string;
  /** Makes what gets the counters of a new client, at intervals and once when it is closed. */
  readonly countersOf: () => ClientCountersPublisher;
}

/** The policy clients that calls share. */
export interface PolicyClients {
  /** The client for calls with that transport, made when there is none. */
  clientFor(transport: TransportConfig): PolicyClient;
  readonly size: number;
  /** Settles when all clients have sent their reports. */
  close(): Promise<void>;
}

const MAX_CLIENTS = 64;
/** Clients that nobody called for this long are closed. */
const IDLE_MS = 600_000;

interface SharedClient {
  readonly client: PolicyClient;
  usedMs: number;
}

/**
 * One client per way of calling the backend. What differs from proxy to proxy, the fail policy and the proxy's own
 * attributes, is no part of that: ten thousand proxies share one client, its caches and its batches.
 */
export function createPolicyClients(backend: PolicyBackend, options: PolicyClientsOptions): PolicyClients {
  const { clock, random, createId, countersOf } = options;
  const clients = new Map<string, SharedClient>();
  const keys = new WeakMap<TransportConfig, string>();
  const closing = new Set<Promise<void>>();

  const keyOf = (transport: TransportConfig): string => {
    const known = keys.get(transport);
    if (known !== undefined) return known;
    const key = JSON.stringify(sharedTransport(transport, backend));
    keys.set(transport, key);
    return key;
  };
  const make = (transport: TransportConfig): PolicyClient =>
    createPolicyClient(sharedTransport(transport, backend), {
      transport: backend.transport,
      clock,
      random,
      clientId: createId(),
      publishStatistics: countersOf(),
    });
  const close = (key: string, { client }: SharedClient): void => {
    clients.delete(key);
    const closed = client.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const closeUnused = (nowMs: number): void => {
    const longestUnused = [...clients].sort(([, a], [, b]) => a.usedMs - b.usedMs);
    for (const [key, shared] of longestUnused) {
      if (clients.size >= MAX_CLIENTS || nowMs - shared.usedMs >= IDLE_MS) close(key, shared);
    }
  };

  return {
    clientFor(transport) {
      const key = keyOf(transport);
      const nowMs = clock.monotonicMs();
      const known = clients.get(key);
      if (known !== undefined) {
        known.usedMs = nowMs;
        return known.client;
      }
      // Configurations change together: a new way of calling is when old ones fall out of use.
      closeUnused(nowMs);
      const client = make(transport);
      clients.set(key, { client, usedMs: nowMs });
      return client;
    },
    get size() {
      return clients.size;
    },
    async close() {
      for (const [key, shared] of [...clients]) close(key, shared);
      await Promise.all(closing);
    },
  };
}

/** The members that make a difference to a client, in one order. */
function sharedTransport(transport: TransportConfig, { isLocal, switches }: PolicyBackend): TransportConfig {
  const isOff = (name: 'disableCheckCache' | 'disableQuotaCache' | 'disableReportBatch'): boolean =>
    switches?.[name] === true || transport[name] === true;
  return {
    disableCheckCache: isLocal || isOff('disableCheckCache'),
    disableQuotaCache: isLocal || isOff('disableQuotaCache'),
    disableReportBatch: isOff('disableReportBatch'),
    reportBatchMaxEntries: transport.reportBatchMaxEntries ?? 0,
    ...(transport.reportBatchMaxTime !== undefined && { reportBatchMaxTime: transport.reportBatchMaxTime }),
    ...(transport.statsUpdateInterval !== undefined && { statsUpdateInterval: transport.statsUpdateInterval }),
  };
}
