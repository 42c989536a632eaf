import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import type { ObjectKey } from '../../config/object.js';
import type { ClusterAccess } from '../../kubernetes/client/cluster-access.js';
import { createRemoteAccess } from '../../kubernetes/client/remote-access.js';
import { parseRemoteKubeconfig } from '../../kubernetes/client/remote-kubeconfig.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';
import type { ChangeBatch } from '../../model/object-change.js';
import type { Logger } from '../../telemetry/logger.js';
import type { KubernetesSource } from '../kubernetes/kubernetes-source.js';
import { chooseClusters, type RefusedCluster } from './choose-clusters.js';
import { createClusterSecrets, type RegisteredCluster } from './cluster-secrets.js';
import type { ClusterLink } from './remote-cluster.js';
import { type RemoteCluster, startRemoteCluster } from './remote-cluster.js';

/** A remote cluster that is read, for the other parts that work in it. */
export interface ReachedCluster {
  readonly id: string;
  /** Base of the API server's URLs. */
  readonly server: string;
  /** Usable until the cluster is connected to again or removed. */
  readonly link: ClusterLink;
}

/** Is told of remote clusters, to do more in them than to read them. */
export interface RemoteClusterObserver {
  /** A cluster is read for the first time, or through another kubeconfig than before. */
  reached(cluster: ReachedCluster): void;
  /** The connection to the cluster closes after the returned promise has settled. */
  removed(id: string): void | Promise<void>;
}

export interface RemoteClustersOptions {
  /** Ids that no secret may register, each with its origin: above all the cluster of this process. */
  readonly taken: ReadonlyMap<string, string>;
  readonly createSource: (id: string, access: ClusterAccess) => KubernetesSource;
  readonly connect: (access: ClusterAccess) => ClusterLink;
  readonly deliver: (batch: ChangeBatch) => void;
  readonly observers?: readonly RemoteClusterObserver[];
  /** Scope `secretcontroller`. */
  readonly logger: Logger;
  readonly clock: Clock;
  /** From 0 up to, not including, 1: for jitter. Default Math.random. */
  readonly random?: () => number;
}

/** A problem of a secret that registers clusters. */
export interface ClusterProblem {
  readonly object: ObjectKey;
  /** `data.<id>` */
  readonly field: string;
  readonly reason: string;
}

/** The clusters that secrets register, each from the first attempt to connect until its removal. */
export interface RemoteClusters {
  /** Takes the secrets. */
  readonly secrets: ReflectorSink;
  /** Settles when each present cluster is read, or cannot be reached for now. */
  tried(): Promise<void>;
  problems(): readonly ClusterProblem[];
  stop(): Promise<void>;
}

interface Slot {
  registered: RegisteredCluster;
  /** Why the present kubeconfig cannot be used. Objects that an earlier kubeconfig gave are still served. */
  refusal: string | undefined;
  /** The cluster whose objects are served. */
  serving: RemoteCluster | undefined;
  /** The cluster that replaces `serving` once it is read. */
  next: RemoteCluster | undefined;
}

export function createRemoteClusters(options: RemoteClustersOptions): RemoteClusters {
  const { taken, deliver, logger, clock, random = Math.random, observers = [] } = options;
  const slots = new Map<string, Slot>();
  const ending = new Set<Promise<void>>();
  let refused: readonly RefusedCluster[] = [];
  let isStopped = false;

  /** @param users settles when every observer has released the connection */
  const end = (cluster: RemoteCluster | undefined, users?: Promise<unknown>): void => {
    if (cluster === undefined) return;
    const ended = cluster.stop(users).finally(() => ending.delete(ended));
    ending.add(ended);
  };

  const handOver = (batch: ChangeBatch): void => {
    try {
      deliver(batch);
    } catch (err) {
      // An error here must stop neither the secrets nor the cluster from being read.
      logger.error({ err, cluster: batch.cluster }, 'changes of a remote cluster could not be taken over');
    }
  };

  /**
   * The first batch through a new kubeconfig replaces all objects of the cluster, and ends the use of the old
   * kubeconfig. If the new kubeconfig may read fewer kinds, the old one stays in use: missing rights say nothing about
   * the objects.
   */
  const take = (id: string, slot: Slot, cluster: RemoteCluster, batch: ChangeBatch, forbidden: number): boolean => {
    if (slot.next !== cluster) {
      if (slot.serving === cluster) handOver(batch);
      return true;
    }
    const { serving } = slot;
    if (serving !== undefined && forbidden > serving.forbidden()) {
      const fields = { cluster: id, server: cluster.access.server, forbidden };
      logger.error(fields, 'a new kubeconfig may read less of a remote cluster than the old one, which stays in use');
      return false;
    }
    slot.serving = cluster;
    slot.next = undefined;
    end(serving);
    handOver({ ...batch, replacesCluster: true });
    logger.info(
      { cluster: id, server: cluster.access.server, objects: batch.changes.length },
      'a remote cluster is read',
    );
    const { link, access } = cluster;
    for (const observer of observers) observer.reached({ id, server: access.server, link });
    return true;
  };

  const begin = (id: string, slot: Slot): void => {
    const { secret, kubeconfig } = slot.registered;
    try {
      const access = createRemoteAccess(parseRemoteKubeconfig(kubeconfig));
      const { server } = access;
      logger.info({ cluster: id, secret, server }, 'a remote cluster is registered');
      const link = options.connect(access);
      const cluster: RemoteCluster = startRemoteCluster({
        ...{ id, access, link, logger, clock, random, createSource: options.createSource },
        deliver: (batch, forbidden) => take(id, slot, cluster, batch, forbidden),
      });
      slot.next = cluster;
    } catch (err) {
      slot.refusal = errorText(err);
      logger.error({ cluster: id, secret, reason: slot.refusal }, 'the kubeconfig of a remote cluster cannot be used');
    }
  };

  const update = (id: string, registered: RegisteredCluster): void => {
    const slot = slots.get(id);
    if (slot === undefined) {
      const added: Slot = { registered, refusal: undefined, serving: undefined, next: undefined };
      slots.set(id, added);
      begin(id, added);
      return;
    }
    const isSame = slot.registered.kubeconfig === registered.kubeconfig;
    slot.registered = registered;
    if (isSame) return;
    end(slot.next);
    slot.next = undefined;
    slot.refusal = undefined;
    begin(id, slot);
  };

  const remove = (id: string, slot: Slot): void => {
    slots.delete(id);
    end(slot.next);
    slot.next = undefined;
    const { serving } = slot;
    if (serving !== undefined) {
      slot.serving = undefined;
      handOver({ cluster: id, changes: [], replacesCluster: true });
      const left = observers.map((observer) => observer.removed(id));
      end(serving, Promise.allSettled(left));
    }
    logger.info({ cluster: id, secret: slot.registered.secret }, 'a remote cluster is removed');
  };

  const noteRefused = (next: readonly RefusedCluster[]): void => {
    const known = new Set(refused.map(({ reason, cluster }) => `${cluster.secret} ${reason}`));
    for (const { cluster, reason } of next) {
      if (known.has(`${cluster.secret} ${reason}`)) continue;
      logger.warn(
        { cluster: cluster.id, secret: cluster.secret, reason },
        'a registration of a cluster does not count',
      );
    }
    refused = next;
  };

  const secrets = createClusterSecrets((registered) => {
    if (isStopped) return;
    const choice = chooseClusters(registered, taken);
    noteRefused(choice.refused);
    for (const [id, slot] of slots) if (!choice.chosen.has(id)) remove(id, slot);
    for (const [id, cluster] of choice.chosen) update(id, cluster);
  });

  return {
    secrets,
    tried: async () => {
      await Promise.all([...slots.values()].map(({ next }) => next?.tried));
    },
    problems: () => [
      ...refused.map(({ cluster, reason }) => ({ ...placeOf(cluster), reason })),
      ...[...slots.values()].flatMap(({ registered, refusal, serving, next }) =>
        [...(refusal === undefined ? [] : [refusal]), ...((next ?? serving)?.problems() ?? [])].map((reason) => ({
          ...placeOf(registered),
          reason,
        })),
      ),
    ],
    stop: async () => {
      isStopped = true;
      for (const { next, serving } of slots.values()) {
        end(next);
        end(serving);
      }
      await Promise.all(ending);
    },
  };
}

function placeOf({ secret, id }: RegisteredCluster): Pick<ClusterProblem, 'object' | 'field'> {
  return { object: secret, field: `data.${id}` };
}
