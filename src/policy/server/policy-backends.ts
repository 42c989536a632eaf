import { isDeepStrictEqual } from 'node:util';
import {
  isSameStorage,
  type PolicyServerConfig,
  type QuotaStorage,
} from '../../config/policy-server/policy-server-config.js';

import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { Logger } from '../../telemetry/logger.js';
import type { ReadKeyFile } from '../quota/known-keys.js';
import type { OpenQuotaStore } from '../quota/open-quota-store.js';
import { createQuotaBackend, type QuotaBackend } from '../quota/quota-backend.js';
import type { QuotaMetrics } from '../quota/quota-metrics.js';
import type { QuotaStore } from '../quota/quota-store.js';
import type { PolicyBackend } from './policy-backend.js';
import type { GrpcPolicyTransport } from './remote/grpc-policy-transport.js';

export interface PolicyBackendsOptions {
  readonly openStore: OpenQuotaStore;
  /** @throws when a file that the configuration names cannot be read */
  readonly connect: (remote: RemoteBackend) => GrpcPolicyTransport;
  /** @throws when the file cannot be read */
  readonly readKeyFile: ReadKeyFile;
  readonly metrics: QuotaMetrics;
  /** Of scope `policy`. */
  readonly logger: Logger;
  /** The same for what callers can cause over and over. */
  readonly limitedLog: LimitedLog;
}

const EVICTION_REMEDY =
  'more keys are in use than storage.maxCounters allows: raise it, or list the known keys in the quota (keys)';

/** A server of `mesh.policy.v1` that decides instead of this process. */
export type RemoteBackend = NonNullable<PolicyServerConfig['backend']>;

/** Whoever counts quotas and takes reports, as the policy server's configuration has it. */
export interface PolicyBackends {
  readonly current: PolicyBackend;
  /** Follows a changed configuration. What was used stays used, as long as it is counted in the same place. */
  update(config: PolicyServerConfig): void;
  /** Whether charges can be made, as far as is known. */
  isUp(): boolean;
  close(): Promise<void>;
}

interface Local {
  readonly type: 'local';
  readonly backend: PolicyBackend;
  readonly quotas: QuotaBackend;
  storage: QuotaStorage;
  store: QuotaStore;
}

interface Remote {
  readonly type: 'remote';
  readonly backend: PolicyBackend;
  readonly config: RemoteBackend;
  readonly transport: GrpcPolicyTransport;
}

const UNLIMITED_REMEDY = 'add the quota to the policy config (--policyConfig, in a cluster the ConfigMap mesh-policy)';

export function createPolicyBackends(config: PolicyServerConfig, options: PolicyBackendsOptions): PolicyBackends {
  const { openStore, connect, readKeyFile, metrics, logger, limitedLog } = options;

  const openLocal = ({ storage, quotas: limits }: PolicyServerConfig): Local => {
    const store = openStore(storage);
    const quotas = createQuotaBackend({
      limits,
      store,
      readKeyFile,
      metrics,
      onUndefined: (quota) =>
        logger.warn({ quota, remedy: UNLIMITED_REMEDY }, 'quota has no limit, all charges are granted'),
      onEvicted: (quota) => limitedLog.warn({ quota, remedy: EVICTION_REMEDY }, 'quota counter evicted'),
    });
    return { type: 'local', backend: { transport: quotas, isLocal: true }, quotas, storage, store };
  };
  const openRemote = (remote: RemoteBackend): Remote => {
    const transport = connect(remote);
    const backend = { transport, isLocal: false, switches: remote.transport };
    return { type: 'remote', backend, config: remote, transport };
  };
  const open = (wanted: PolicyServerConfig): Local | Remote =>
    wanted.backend === undefined ? openLocal(wanted) : openRemote(wanted.backend);
  const close = async (opened: Local | Remote): Promise<void> => {
    if (opened.type === 'local') await opened.store.close();
    else opened.transport.close();
  };
  const closeLater = (closing: Promise<void>): void => {
    closing.catch((error: unknown) => logger.warn({ err: error }, 'A former quota store was not closed well'));
  };

  /** Keeps what is as it was wanted before. */
  const follow = (opened: Local | Remote, wanted: PolicyServerConfig): Local | Remote => {
    if (opened.type === 'remote' && isDeepStrictEqual(opened.config, wanted.backend)) return opened;
    if (opened.type === 'remote' || wanted.backend !== undefined) {
      const next = open(wanted);
      closeLater(close(opened));
      return next;
    }
    if (!isSameStorage(opened.storage, wanted.storage)) {
      const { store } = opened;
      opened.store = openStore(wanted.storage);
      opened.storage = wanted.storage;
      opened.quotas.useStore(opened.store);
      closeLater(store.close());
    }
    opened.quotas.update(wanted.quotas);
    return opened;
  };

  let opened = open(config);
  return {
    get current() {
      return opened.backend;
    },
    update: (wanted) => {
      opened = follow(opened, wanted);
    },
    isUp: () => opened.type === 'remote' || opened.store.isUp(),
    close: () => close(opened),
  };
}
