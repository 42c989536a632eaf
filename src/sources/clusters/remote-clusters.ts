import type { Clock } from '../../base/clock.js';
import type { ObjectKey } from '../../config/object.js';
import type { ClusterAccess } from '../../kubernetes/client/cluster-access.js';
import { createRemoteAccess } from '../../kubernetes/client/remote-access.js';
import { parseRemoteKubeconfig } from '../../kubernetes/client/remote-kubeconfig.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';
import type { ChangeBatch } from '../../model/object-change.js';
import type { Logger } from '../../telemetry/logger.js';
import type { KubernetesSource } from '../kubernetes/kubernetes-source.js';
import { chooseClusters, type RefusedCluster } from './choose-clusters.js';
import type { ClusterLink } from './cluster-link.js';
import { createClusterSecrets, type RegisteredCluster } from './cluster-secrets.js';
import { type RemoteCluster, startRemoteCluster } from './remote-cluster.js';

/** A remote cluster that is read, for whoever does more there than read. */
export interface ReachedCluster {
  readonly id: string;
  /** Base of the API server's URLs. */
  readonly server: string;
  /** For as long as the cluster is not reached anew or removed. */
  readonly link: ClusterLink;
}

/** CENTRAL_MESHD: what else happens in remote clusters. */
export interface RemoteClusterObserver {
  /** A cluster is read, for the first time or by another kubeconfig than before. */
  reached(cluster: ReachedCluster): void;
  removed(id: string): void;
}

export interface RemoteClustersOptions {
  /** Ids that no secret can have, with whose they are: the cluster that this process belongs to, above all. */
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

/** Something of a secret that is not served as it says. */
export interface ClusterProblem {
  readonly object: ObjectKey;
  /** `data.<id>` */
  readonly field: string;
  readonly reason: string;
}

/** The clusters that secrets register, each from its first attempt to its removal. */
export interface RemoteClusters {
  /** Where the secrets go. */
  readonly secrets: ReflectorSink;
  /** Settles when each present cluster is read or known not to be there for now. */
  tried(): Promise<void>;
  problems(): readonly ClusterProblem[];
  stop(): Promise<void>;
}

interface Slot {
  registered: RegisteredCluster;
  /** Why the present kubeconfig cannot be used; what an earlier one brought is served on. */
  refusal: string | undefined;
  /** What is served comes from here. */
  serving: RemoteCluster | undefined;
  /** Not read yet; takes over from `serving` when it is. */
  next: RemoteCluster | undefined;
}

export function createRemoteClusters(options: RemoteClustersOptions): RemoteClusters {
  const { taken, deliver, logger, clock, random = Math.random, observers = [] } = options;
  const slots = new Map<string, Slot>();
  const ending = new Set<Promise<void>>();
  let refused: readonly RefusedCluster[] = [];
  let isStopped = false;

  const end = (cluster: RemoteCluster | undefined): void => {
    if (cluster === undefined) return;
    const ended = cluster.stop().finally(() => ending.delete(ended));
    ending.add(ended);
  };

  const handOver = (batch: ChangeBatch): void => {
    try {
      deliver(batch);
    } catch (err) {
      // Neither the reading of secrets nor that of a cluster must end for it.
      logger.error({ err, cluster: batch.cluster }, 'changes of a remote cluster could not be taken over');
    }
  };

  /**
   * The first batch of a kubeconfig takes the place of all that there was, and the old one is not heard any more; unless
   * it may read less than the old one, which is no news of the cluster.
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
      slot.refusal = err instanceof Error ? err.message : String(err);
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
    end(slot.serving);
    slot.next = undefined;
    if (slot.serving !== undefined) {
      slot.serving = undefined;
      handOver({ cluster: id, changes: [], replacesCluster: true });
      for (const observer of observers) observer.removed(id);
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
