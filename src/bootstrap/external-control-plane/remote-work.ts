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

  const endIn = async ({ cluster: { id }, works }: Running): Promise<void> => {
    const ends = works.map((work) => {
      const ended = work
        .stop()
        .catch((err: unknown) => logger.warn({ cluster: id, err }, 'work in a remote cluster failed to stop'))
        .finally(() => ending.delete(ended));
      ending.add(ended);
      return ended;
    });
    await Promise.all(ends);
  };

  return {
    observer: {
      reached: (cluster) => {
        if (isStopped) return;
        const before = clusters.get(cluster.id);
        if (before !== undefined) void endIn(before);
        const running: Running = { cluster, works: [] };
        clusters.set(cluster.id, running);
        startIn(running);
      },
      removed: async (id) => {
        const running = clusters.get(id);
        clusters.delete(id);
        if (running !== undefined) await endIn(running);
      },
    },
    begin: (next) => {
      if (isStopped || factories !== undefined) return;
      factories = next;
      for (const running of clusters.values()) startIn(running);
    },
    stop: async () => {
      isStopped = true;
      for (const running of clusters.values()) void endIn(running);
      clusters.clear();
      await Promise.all(ending);
    },
  };
}
