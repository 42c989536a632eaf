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
import type { OutgoingCalls } from '../telemetry/outgoing-calls.js';

/** The connection of this process's parts to the cluster that it reads. */
export interface Cluster {
  /** For single requests, reads and writes. */
  readonly send: SendRequest;
  /** Creates a watcher; its creator stops it. */
  createWatcher(logger: Logger): ListWatcher;
}

/** One connection for all parts of the process. */
export interface ClusterConnection {
  /**
   * Settles when the address of the API server is known, reachable or not; every call gives the same cluster.
   *
   * @throws ClusterAccessError when there is no cluster
   */
  open(): Promise<Cluster>;
  /** Called after the last request. */
  close(): void;
}

export interface ClusterConnectionOptions {
  readonly access: ClusterAccessOptions;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Records each request; default: none does. */
  readonly outgoing?: OutgoingCalls | undefined;
}

/** A request without a whole answer after this time has failed. */
const REQUEST_TIMEOUT_MS = 5_000;

/** Connects to a cluster with the identity of this process. */
export function connectTo(
  access: ClusterAccess,
  { userAgent, clock, outgoing }: Omit<ClusterConnectionOptions, 'access'>,
): Cluster {
  const api = createApiClient(access, userAgent, outgoing);
  return {
    send: createApiSender(access, { userAgent, timeoutMs: REQUEST_TIMEOUT_MS, outgoing }),
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
