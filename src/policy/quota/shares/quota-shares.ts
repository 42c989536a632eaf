import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../base/clock.js';
import type { QuotaLimit } from '../../../config/policy-server/policy-server-config.js';
import type { QuotaStore } from '../quota-store.js';
import type { BucketAction } from './bucket-action.js';
import { createProxyShares, type ProxyShares } from './proxy-shares.js';
import { createServerCount } from './server-count.js';
import { createServingProxies } from './serving-proxies.js';
import { createShareLimits } from './share-limits.js';
import { createShareTable, type ShareTable } from './share-table.js';
import type { SharesMetrics } from './shares-metrics.js';

export interface QuotaSharesOptions {
  readonly limits: readonly QuotaLimit[];
  readonly store: QuotaStore;
  /** Policy servers that count in memory, each for itself: they divide the limits. */
  readonly unsharedServers: () => number;
  readonly clock: Clock;
  readonly metrics: SharesMetrics;
  /** Gets each quota that is charged and has no limit. */
  readonly onUnlimited: (quota: string) => void;
  /** The store could not reserve: the proxy keeps what it has. */
  readonly onFailed: (error: unknown) => void;
}

/** Divides the limits of fast quotas among proxies. */
export interface QuotaShares {
  /** Opens the buckets of a proxy. @param push sends actions between reports */
  open(push: (action: BucketAction) => void): ProxyShares;
  /** The groups of the counters. */
  readonly groups: readonly string[];
  /** Buckets get shares of the new limits with their next reports. */
  update(limits: readonly QuotaLimit[]): void;
  useStore(store: QuotaStore): void;
  /** What proxies hold of the counters of a group, and have probably not used, by key. */
  heldOf(group: string): ReadonlyMap<string, number>;
  stop(): void;
}

/** Each takes about 1 KB here, and more in its proxy. */
export const MAX_BUCKETS_PER_PROXY = 5_000;
const MAX_BUCKETS = 100_000;

export function createQuotaShares(options: QuotaSharesOptions): QuotaShares {
  const { unsharedServers, clock, metrics, onUnlimited, onFailed } = options;
  let { store, limits: configured } = options;
  let limits = createShareLimits(configured);
  const proxies = new Set<ProxyShares>();
  const serving = createServingProxies();
  const servers = createServerCount({ store: () => store, clock, isServing: () => proxies.size > 0, onFailed });
  let total = 0;

  const createTable = (): ShareTable =>
    createShareTable({
      limits,
      store,
      servers: () => (store.type === 'redis' ? servers.count() : unsharedServers()),
      expectedProxies: ({ name }) => serving.count(name.purpose.service),
      clock,
      onFailed,
    });
  let table = createTable();
  const replaceTable = (): void => {
    table.stop();
    table = createTable();
  };

  const makeRoom = (proxy: ProxyShares): void => {
    if (proxy.size > MAX_BUCKETS_PER_PROXY) proxy.abandonOldest();
    if (total <= MAX_BUCKETS) return;
    const largest = [...proxies].reduce((most, each) => (each.size > most.size ? each : most), proxy);
    largest.abandonOldest();
  };

  return {
    open: (push) => {
      const change = (service: string, difference: 1 | -1): void => {
        total += difference;
        metrics.buckets(total);
        serving.change(service, proxy, difference);
        if (difference > 0) makeRoom(proxy);
      };
      const opened = createProxyShares({
        table: () => table,
        clock,
        metrics,
        isUp: () => store.isUp(),
        onChange: ({ purpose }, difference) => change(purpose.service, difference),
        onUnlimited,
        onFailed,
        push,
      });
      const proxy: ProxyShares = {
        ...opened,
        get size() {
          return opened.size;
        },
        close: () => {
          opened.close();
          proxies.delete(proxy);
          metrics.proxies(proxies.size);
        },
      };
      proxies.add(proxy);
      metrics.proxies(proxies.size);
      servers.look();
      return proxy;
    },
    get groups() {
      return limits.groups;
    },
    update: (next) => {
      if (isDeepStrictEqual(next, configured)) return;
      configured = next;
      limits = createShareLimits(next);
      replaceTable();
    },
    useStore: (next) => {
      store = next;
      replaceTable();
    },
    heldOf: (group) => table.heldOf(group),
    stop: () => {
      servers.stop();
      table.stop();
    },
  };
}
