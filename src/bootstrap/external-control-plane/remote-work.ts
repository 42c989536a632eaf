import type { ReachedCluster, RemoteClusterObserver } from '../../sources/clusters/remote-clusters.js';
import type { Logger } from '../../telemetry/logger.js';

/** Something that goes on in a cluster. */
export interface ClusterWork {
  start(): void;
  stop(): Promise<void>;
}

/** Makes the work for one cluster, which it is done with until it is stopped. */
export type ClusterWorkFactory = (cluster: ReachedCluster) => ClusterWork;

/** Does in each remote cluster what there is to do, from when it is reached until it is removed. */
export interface RemoteWork {
  readonly observer: RemoteClusterObserver;
  /** From now on, in the clusters that are there already and in those that come. */
  begin(factories: readonly ClusterWorkFactory[]): void;
  /** Settles when nothing is done anywhere any more. */
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
        .catch((err: unknown) => logger.warn({ cluster: id, err }, 'work in a remote cluster did not end well'))
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
