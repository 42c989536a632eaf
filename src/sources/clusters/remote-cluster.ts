import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import type { SendRequest } from '../../kubernetes/client/api-sender.js';
import type { ClusterAccess } from '../../kubernetes/client/cluster-access.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { pause } from '../../kubernetes/watch/pause.js';
import type { ChangeBatch } from '../../model/object-change.js';
import type { Logger } from '../../telemetry/logger.js';
import type { KubernetesSource } from '../kubernetes/kubernetes-source.js';
import { QUICK_RETRIES, reachCluster, SLOW_WAITS, shortened } from './reach-cluster.js';

export interface RemoteClusterOptions {
  readonly id: string;
  /** Closed when the cluster is stopped. */
  readonly access: ClusterAccess;
  readonly link: ClusterLink;
  readonly createSource: (id: string, access: ClusterAccess) => KubernetesSource;
  /**
   * Whether to accept the first batch, which is the whole content of the cluster except forbidden kinds. A refused
   * batch is read again later.
   *
   * @param forbidden kinds that RBAC does not let us read
   */
  readonly deliver: (batch: ChangeBatch, forbidden: number) => boolean;
  /** Scope `secretcontroller`. */
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

/** One cluster by one kubeconfig: it is connected to, then read until it is stopped. */
export interface RemoteCluster {
  readonly access: ClusterAccess;
  readonly link: ClusterLink;
  /** Settles when the cluster is read, or after the quick retries have failed. */
  readonly tried: Promise<void>;
  /** Kinds that RBAC does not let us read. */
  forbidden(): number;
  /** The present problem of the cluster. */
  problems(): readonly string[];
  /** @param users settles when every other part has released the connection; default: at once */
  stop(users?: Promise<unknown>): Promise<void>;
}

export function startRemoteCluster(options: RemoteClusterOptions): RemoteCluster {
  const { id, access, link, logger, clock, random } = options;
  const { server } = access;
  const stopping = new AbortController();
  let source: KubernetesSource | undefined;
  let failure: unknown;
  let giveUpWaiting = (): void => undefined;
  const waited = new Promise<void>((resolve) => {
    giveUpWaiting = resolve;
  });

  const noteFailure = (err: unknown, failures: number): void => {
    failure = err;
    const fields = { cluster: id, server, err, failures };
    if (failures === 1) logger.warn(fields, 'a remote cluster cannot be reached, it is tried again');
    else logger.debug(fields, 'a remote cluster still cannot be reached');
    if (failures !== QUICK_RETRIES + 1) return;
    logger.error(fields, 'a remote cluster cannot be reached, it is tried more seldom from now on');
    giveUpWaiting();
  };

  /** @returns whether the cluster is read from now on */
  const read = async (): Promise<boolean> => {
    await reachCluster({ send: link.send, clock, random, onFailure: noteFailure }, stopping.signal);
    if (stopping.signal.aborted) return true;
    failure = undefined;
    const reading = options.createSource(id, access);
    source = reading;
    let isWanted = true;
    await reading.start((batch) => {
      isWanted &&= options.deliver(batch, reading.forbidden().length);
    });
    return isWanted;
  };

  const run = async (): Promise<void> => {
    const backoff = createBackoff({ ...SLOW_WAITS, random });
    while (!(await read())) {
      giveUpWaiting();
      await source?.stop();
      await pause(clock, backoff.nextMs(), stopping.signal);
    }
  };
  const running = run().catch((err: unknown) => {
    failure = err;
    logger.error({ cluster: id, server, err }, 'a remote cluster could not be taken over');
  });

  return {
    access,
    link,
    tried: Promise.race([running, waited]),
    forbidden: () => source?.forbidden().length ?? 0,
    problems: () => {
      const outage = failure ?? source?.outage();
      return [
        ...(outage === undefined
          ? []
          : [`the API server ${server} of cluster ${id} cannot be read: ${textOf(outage)}`]),
        ...(source?.forbidden() ?? []).map((reason) => `cluster ${id}: ${shortened(reason)}`),
        ...(source?.reports() ?? []).map(({ key, reason }) => `cluster ${id}: ${key}: ${reason}`),
      ];
    },
    stop: async (users) => {
      stopping.abort();
      giveUpWaiting();
      await source?.stop();
      await running;
      await users;
      access.close();
    },
  };
}

/** An error of several connection attempts has no message of its own. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return error.message === '' ? (code ?? error.name) : shortened(error.message);
}

/** The connection to the API server of a cluster. */
export interface ClusterLink {
  /** For single requests, reads and writes. */
  readonly send: SendRequest;
  /** Creates a watcher; its creator stops it. */
  createWatcher(logger: Logger): ListWatcher;
}
