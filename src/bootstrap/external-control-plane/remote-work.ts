import type { ReachedCluster, RemoteClusterObserver } from '../../sources/clusters/remote-clusters.js';
import type { Logger } from '../../telemetry/logger.js';

/** A task that runs in a cluster. */
export interface ClusterWork {
  start(): void;
  stop(): Promise<void>;
}

/** Creates the task for one cluster; the task runs until it is stopped. */
export type ClusterWorkFactory = (cluster: ReachedCluster) => ClusterWork;

/** Runs tasks in each remote cluster, from the first connection until its removal. */
export interface RemoteWork {
  readonly observer: RemoteClusterObserver;
  /** Starts the tasks in the present clusters and in all later ones. */
  begin(factories: readonly ClusterWorkFactory[]): void;
  /** Settles when all tasks have stopped. */
  stop(): Promise<void>;
}

interface Running {
  readonly cluster: ReachedCluster;
  works: readonly ClusterWork[];
}

/** @param logger scope `secretcontroller` */
export function createRemoteWork(logger: Logger): RemoteWork {
  const clusters = new Map<string, Running>();
  const ending = new Set<Promise<void>>();
  let factories: readonly ClusterWorkFactory[] | undefined;
  let isStopped = false;

  const startIn = (running: Running): void => {
    running.works = (factories ?? []).map((create) => create(running.cluster));
    for (const work of running.works) work.start();
  };

  const endIn = ({ cluster: { id }, works }: Running): void => {
    for (const work of works) {
      const ended = work
        .stop()
        .catch((err: unknown) => logger.warn({ cluster: id, err }, 'work in a remote cluster failed to stop'))
        .finally(() => ending.delete(ended));
      ending.add(ended);
    }
  };

  return {
    observer: {
      reached: (cluster) => {
        if (isStopped) return;
        const before = clusters.get(cluster.id);
        if (before !== undefined) endIn(before);
        const running: Running = { cluster, works: [] };
        clusters.set(cluster.id, running);
        startIn(running);
      },
      removed: (id) => {
        const running = clusters.get(id);
        if (running !== undefined) endIn(running);
        clusters.delete(id);
      },
    },
    begin: (next) => {
      if (isStopped || factories !== undefined) return;
      factories = next;
      for (const running of clusters.values()) startIn(running);
    },
    stop: async () => {
      isStopped = true;
      for (const running of clusters.values()) endIn(running);
      clusters.clear();
      await Promise.all(ending);
    },
  };
}
