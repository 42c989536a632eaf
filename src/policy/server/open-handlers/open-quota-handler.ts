import { isSameStorage, type PolicyServerConfig } from '../../../config/policy-server/policy-server-config.js';
import { createQuotaHandler, type QuotaHandler } from '../../quota/quota-handler.js';
import { createQuotaMetrics } from '../../quota/quota-metrics.js';
import type { QuotaStore } from '../../quota/quota-store.js';
import { createQuotaShares } from '../../quota/shares/quota-shares.js';
import { createSharesMetrics } from '../../quota/shares/shares-metrics.js';
import type { ConfiguredHandler, Neighbours, PolicyHandlersOptions } from './configured-handler.js';

const UNLIMITED_REMEDY = 'add the quota to the policy config (--policyConfig, in a cluster the ConfigMap mesh-policy)';
const EVICTION_REMEDY =
  'more keys are in use than storage.maxCounters allows: raise it, or list the known keys in the quota (keys)';

/** Quotas are counted here unless a remote server decides. Limits of plans are always counted here. */
export function openQuotaHandler(
  config: PolicyServerConfig,
  options: PolicyHandlersOptions,
  { countsQuota, planLimits }: Neighbours,
): ConfiguredHandler | undefined {
  const countsQuotas = config.backend === undefined;
  if (!countsQuotas && planLimits().length === 0) return undefined;
  const limitsOf = ({ quotas }: PolicyServerConfig) => (countsQuotas ? quotas : []);
  const { openStore, readKeyFile, metrics, logger, limitedLog, clock, unsharedServers } = options;
  const quotaMetrics = createQuotaMetrics(metrics);
  let { storage } = config;
  let store = openStore(storage);
  const shares = countsQuotas
    ? createQuotaShares({
        limits: config.quotas,
        store,
        unsharedServers,
        clock,
        metrics: createSharesMetrics(metrics),
        onUnlimited: quotaMetrics.undefinedCharged,
        onFailed: (error) => quotaMetrics.storeFailed(store.type, error),
      })
    : undefined;
  const close = (unused: QuotaStore): void => {
    unused.close().catch((error: unknown) => logger.warn({ err: error }, 'former quota store not closed'));
  };
  const create = (): QuotaHandler =>
    createQuotaHandler({
      limits: limitsOf(config),
      countsQuotas,
      store,
      clock,
      readKeyFile,
      metrics: quotaMetrics,
      ...(shares && { shares }),
      isCountedElsewhere: countsQuota,
      onUndefined: (quota) =>
        logger.warn({ quota, remedy: UNLIMITED_REMEDY }, 'quota has no limit, all charges are granted'),
      onEvicted: (quota) => limitedLog.warn({ quota, remedy: EVICTION_REMEDY }, 'quota counter evicted'),
    });
  let handler: QuotaHandler;
  try {
    handler = create();
  } catch (error) {
    // A key file cannot be read. The former handlers stay, and nothing else would close this store.
    close(store);
    throw error;
  }
  handler.usePlans(planLimits());
  return {
    handler: {
      ...handler,
      close: () => {
        shares?.stop();
        return handler.close();
      },
    },
    planLimits: handler,
    quotas: handler,
    ...(shares && { shares }),
    follow: (wanted) => {
      if ((wanted.backend === undefined) !== countsQuotas) return false;
      if (!countsQuotas && planLimits().length === 0) return false;
      shares?.update(limitsOf(wanted));
      handler.update(limitsOf(wanted));
      if (isSameStorage(storage, wanted.storage)) return true;
      const former = store;
      store = openStore(wanted.storage);
      storage = wanted.storage;
      handler.useStore(store);
      shares?.useStore(store);
      close(former);
      return true;
    },
    isUp: () => store.isUp(),
  };
}
