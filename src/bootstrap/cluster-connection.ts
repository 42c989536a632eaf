import type { Clock } from '../base/clock.js';
import { createApiClient } from '../kubernetes/client/api-client.js';
import { createApiSender, type SendRequest } from '../kubernetes/client/api-sender.js';
import {
  type ClusterAccess,
  type ClusterAccessOptions,
  loadClusterAccess,
} from '../kubernetes/client/cluster-access.js';
import { createListWatcher, type ListWatcher } from '../kubernetes/watch/list-watcher.js';
import type { Logger } from '../telemetry/logger.js';

/** How the parts of this process talk to the cluster that it reads. */
export interface Cluster {
  /** For single requests, reads and writes. */
  readonly send: SendRequest;
  /** Lists that are watched until whoever made the watcher stops it. */
  createWatcher(logger: Logger): ListWatcher;
}

/** One connection for all of them. */
export interface ClusterConnection {
  /**
   * Settles when it is known where the API server is, reachable or not; the same cluster for everybody.
   *
   * @throws ClusterAccessError when there is no cluster
   */
  open(): Promise<Cluster>;
  /** For when nobody sends any more. */
  close(): void;
}

export interface ClusterConnectionOptions {
  readonly access: ClusterAccessOptions;
  readonly userAgent: string;
  readonly clock: Clock;
}

/** A request that has no whole answer by then has failed. */
const REQUEST_TIMEOUT_MS = 5_000;

/** Everything that is sent over this access is of this process. */
export function connectTo(
  access: ClusterAccess,
  { userAgent, clock }: Omit<ClusterConnectionOptions, 'access'>,
): Cluster {
  const api = createApiClient(access, userAgent);
  return {
    send: createApiSender(access, { userAgent, timeoutMs: REQUEST_TIMEOUT_MS }),
    createWatcher: (logger) => createListWatcher({ api, server: access.server, clock, logger }),
  };
}

export function createClusterConnection(options: ClusterConnectionOptions): ClusterConnection {
  let isClosed = false;
  let access: ClusterAccess | undefined;
  let opening: Promise<Cluster> | undefined;

  const open = async (): Promise<Cluster> => {
    const found = await loadClusterAccess(options.access);
    access = found;
    if (isClosed) found.close();
    return connectTo(found, options);
  };

  return {
    open: () => {
      opening ??= open();
      return opening;
    },
    close: () => {
      isClosed = true;
      access?.close();
    },
  };
}
