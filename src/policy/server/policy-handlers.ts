import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.js';
import {
  isSameStorage,
  type PolicyServerConfig,
  type QuotaStorage,
} from '../../config/policy-server/policy-server-config.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { createHandlerChain, type HandlerChain } from '../handlers/handler-chain.js';
import type { PolicyHandler } from '../handlers/policy-handler.js';
import type { ReadKeyFile } from '../quota/known-keys.js';
import { createQuotaHandler, type QuotaHandler } from '../quota/quota-handler.js';
import { createQuotaMetrics } from '../quota/quota-metrics.js';
import type { QuotaStore } from '../quota/quota-store.js';
import type { GrpcPolicyTransport } from '../remote/grpc-policy-transport.js';
import { createRemoteHandler } from '../remote/remote-handler.js';
import { createPolicyServerMetrics } from './policy-server-metrics.js';

export interface PolicyHandlersOptions {
  readonly openStore: (storage: QuotaStorage) => QuotaStore;
  /** @throws Error when a file that the configuration names cannot be read */
  readonly connect: (remote: RemoteConfig) => GrpcPolicyTransport;
  /** @throws Error when the file cannot be read */
  readonly readKeyFile: ReadKeyFile;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Makes a UUID. */
  readonly createId: () => string;
  /** Of scope `policy`. */
  readonly logger: Logger;
  /** The same logger, for events that callers can cause at any rate. */
  readonly limitedLog: LimitedLog;
}

/** The `mesh.policy.v1` server that decides instead of this process. */
export type RemoteConfig = NonNullable<PolicyServerConfig['backend']>;

/** The handlers that the policy server's configuration asks for. */
export interface PolicyHandlers {
  readonly chain: HandlerChain;
  /**
   * Follows a changed configuration. A handler that the change does not concern stays, with its counters and
   * connections.
   *
   * @throws Error when the configuration names a file that cannot be read; the former handlers stay
   */
  update(config: PolicyServerConfig): void;
  /** Whether all handlers can decide, as far as they know. */
  isUp(): boolean;
  /** The live use of quotas; undefined while a remote server counts. */
  quotas(): LiveQuotas | undefined;
}

/** The counters of the quota handler. */
export type LiveQuotas = Pick<QuotaHandler, 'use' | 'reset'>;

/** A handler and its part of the configuration. */
interface ConfiguredHandler {
  readonly handler: PolicyHandler;
  /** Whether the handler has followed the change. If not, it is closed, and a new one may be opened. */
  follow(config: PolicyServerConfig): boolean;
  isUp(): boolean;
  readonly quotas?: LiveQuotas;
}

/** Opens the handler; undefined where the configuration does not ask for it. */
type OpenHandler = (config: PolicyServerConfig, options: PolicyHandlersOptions) => ConfiguredHandler | undefined;

/** All handlers, in the order in which they decide. A further handler is a folder beside `quota/` and a line here. */
const HANDLERS: readonly OpenHandler[] = [openQuotaHandler, openRemoteHandler];

export function createPolicyHandlers(config: PolicyServerConfig, options: PolicyHandlersOptions): PolicyHandlers {
  const open = (wanted: PolicyServerConfig, former: readonly (ConfiguredHandler | undefined)[]) =>
    HANDLERS.map((openHandler, index) => {
      const known = former[index];
      return known?.follow(wanted) ? known : openHandler(wanted, options);
    });
  const handlersOf = (configured: readonly (ConfiguredHandler | undefined)[]): readonly PolicyHandler[] =>
    configured.flatMap((each) => each?.handler ?? []);

  let configured = open(config, []);
  const chain = createHandlerChain(handlersOf(configured), (error) =>
    options.logger.warn({ err: error }, 'policy handler not closed'),
  );
  return {
    chain,
    update: (wanted) => {
      configured = open(wanted, configured);
      chain.use(handlersOf(configured));
    },
    isUp: () => configured.every((each) => each?.isUp() !== false),
    quotas: () => configured.find((each) => each?.quotas !== undefined)?.quotas,
  };
}

const UNLIMITED_REMEDY = 'add the quota to the policy config (--policyConfig, in a cluster the ConfigMap mesh-policy)';
const EVICTION_REMEDY =
  'more keys are in use than storage.maxCounters allows: raise it, or list the known keys in the quota (keys)';

/** Quotas are counted here unless a remote server decides. */
function openQuotaHandler(config: PolicyServerConfig, options: PolicyHandlersOptions): ConfiguredHandler | undefined {
  if (config.backend !== undefined) return undefined;
  const { openStore, readKeyFile, metrics, logger, limitedLog } = options;
  let { storage } = config;
  let store = openStore(storage);
  const close = (unused: QuotaStore): void => {
    unused.close().catch((error: unknown) => logger.warn({ err: error }, 'former quota store not closed'));
  };
  const create = (): QuotaHandler =>
    createQuotaHandler({
      limits: config.quotas,
      store,
      readKeyFile,
      metrics: createQuotaMetrics(metrics),
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
  return {
    handler,
    quotas: handler,
    follow: (wanted) => {
      if (wanted.backend !== undefined) return false;
      handler.update(wanted.quotas);
      if (isSameStorage(storage, wanted.storage)) return true;
      const former = store;
      store = openStore(wanted.storage);
      storage = wanted.storage;
      handler.useStore(store);
      close(former);
      return true;
    },
    isUp: () => store.isUp(),
  };
}

function openRemoteHandler(
  { backend }: PolicyServerConfig,
  options: PolicyHandlersOptions,
): ConfiguredHandler | undefined {
  if (backend === undefined) return undefined;
  const metrics = createPolicyServerMetrics(options.metrics);
  const transport = options.connect(backend);
  const handler = createRemoteHandler({
    ...options,
    transport,
    switches: backend.transport,
    onCounted: metrics.clientCounted,
    onReportsLost: (reports, error) => {
      metrics.reportsFailed('backend', reports);
      options.limitedLog.warn({ err: error, reports }, 'reports lost: the remote policy server did not take them');
    },
    disconnect: transport.close,
  });
  return {
    handler,
    follow: (wanted) => isDeepStrictEqual(backend, wanted.backend),
    isUp: () => true,
  };
}
