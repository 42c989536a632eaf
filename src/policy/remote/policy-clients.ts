import type { Clock } from '../../base/clock.js';
import type { ClientStatisticsSnapshot } from '../client/client-statistics.js';
import { createPolicyClient, type PolicyClient } from '../client/policy-client.js';
import type { PolicyTransport } from '../client/policy-transport.js';
import type { TransportConfig } from '../client/transport-config.js';

/** Caches and batches of the client library that can be turned off. */
export type CacheSwitches = Pick<TransportConfig, 'disableCheckCache' | 'disableQuotaCache' | 'disableReportBatch'>;

/** A policy server, and the caches and batches that are off for it. */
export interface RemoteServer {
  readonly transport: PolicyTransport;
  readonly switches?: CacheSwitches | undefined;
}

export interface PolicyClientsOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Makes a UUID. */
  readonly createId: () => string;
  /** Makes the function that gets the counters of a new client, at intervals and once when the client is closed. */
  readonly countersOf: () => (snapshot: ClientStatisticsSnapshot) => void;
}

/** The policy clients that calls share. */
export interface PolicyClients {
  /** The client for calls with that transport; a new one when there is none. */
  clientFor(transport: TransportConfig): PolicyClient;
  readonly size: number;
  /** Settles when all clients have sent their reports. */
  close(): Promise<void>;
}

const MAX_CLIENTS = 64;
/** Clients without a call for this long are closed. */
const IDLE_MS = 600_000;

interface SharedClient {
  readonly client: PolicyClient;
  usedMs: number;
}

/**
 * One client for each set of caches, batch sizes and intervals. The fail policy and the attributes of a proxy are not
 * part of it, so that ten thousand proxies share one client with its caches and batches.
 */
export function createPolicyClients(server: RemoteServer, options: PolicyClientsOptions): PolicyClients {
  const { clock, random, createId, countersOf } = options;
  const clients = new Map<string, SharedClient>();
  const keys = new WeakMap<TransportConfig, string>();
  const closing = new Set<Promise<void>>();

  const keyOf = (transport: TransportConfig): string => {
    const known = keys.get(transport);
    if (known !== undefined) return known;
    const key = JSON.stringify(sharedTransport(transport, server));
    keys.set(transport, key);
    return key;
  };
  const make = (transport: TransportConfig): PolicyClient =>
    createPolicyClient(sharedTransport(transport, server), {
      transport: server.transport,
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
      // All proxies change together: a new client usually replaces one that is out of use.
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
function sharedTransport(transport: TransportConfig, { switches }: RemoteServer): TransportConfig {
  const isOff = (name: keyof CacheSwitches): boolean => switches?.[name] === true || transport[name] === true;
  return {
    disableCheckCache: isOff('disableCheckCache'),
    disableQuotaCache: isOff('disableQuotaCache'),
    disableReportBatch: isOff('disableReportBatch'),
    reportBatchMaxEntries: transport.reportBatchMaxEntries ?? 0,
    ...(transport.reportBatchMaxTime !== undefined && { reportBatchMaxTime: transport.reportBatchMaxTime }),
    ...(transport.statsUpdateInterval !== undefined && { statsUpdateInterval: transport.statsUpdateInterval }),
  };
}
