import type { Clock } from '../../base/clock.js';
import type { KindRegistry } from '../../config/kinds.js';
import { createApiClient } from '../../kubernetes/client/api-client.js';
import {
  type ClusterAccess,
  type ClusterAccessOptions,
  loadClusterAccess,
} from '../../kubernetes/client/cluster-access.js';
import { createListWatcher, type ListWatcher, type ReportingListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { type Resource, resourceName } from '../../kubernetes/watch/resource.js';
import type { WatchTiming } from '../../kubernetes/watch/watch-timing.js';
import type { ChangeBatch, ObjectChange } from '../../model/object-change.js';
import type { Logger } from '../../telemetry/logger.js';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';
import type { Source } from '../source.js';
import type { EventRecorder } from './objects/event-recorder.js';
import type { ObjectReport } from './objects/object-report.js';
import { createProblemLog } from './objects/problem-log.js';
import { readClusterObject } from './objects/read-cluster-object.js';
import { createResourceObjects, type ResourceObjects } from './objects/resource-objects.js';
import { createWarningLog } from './warning-log.js';
import { type KindChoice, watchedResources } from './watched-resources.js';

export interface KubernetesSourceOptions extends KindChoice {
  /**
   * How to connect to the API server: `--orchconfig`, or as a pod; or an access that is open already, which its opener
   * closes.
   */
  readonly access: ClusterAccessOptions | ClusterAccess;
  /** The cluster to which the objects belong: `--clusterID`, or the id of a remote cluster. */
  readonly cluster: string;
  readonly kinds: KindRegistry;
  /** `--appNamespace` with the control plane's own namespace; empty for all namespaces. */
  readonly namespaces: readonly string[];
  /**
   * NAV_USE_ENDPOINT_SLICE. Undefined when it is not set: Endpoints are read, and one line is logged if the cluster
   * deprecates them.
   */
  readonly useEndpointSlice: boolean | undefined;
  /**
   * NAV_ENABLE_CRD_VALIDATION: whether an object that became invalid is withdrawn. Otherwise its last valid state
   * stays. Invalid objects are never served and always reported.
   */
  readonly withdrawsInvalid: boolean;
  /** `--resync`, in milliseconds: interval at which all objects are delivered again; 0 for never. */
  readonly resyncMs: number;
  /** Scope `kube`. */
  readonly logger: Logger;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  /** Sent to the API server with every request. */
  readonly userAgent: string;
  /** Records each request; default: none does. */
  readonly outgoing?: OutgoingCalls | undefined;
  /** Called with all present problems when one of them changes. */
  readonly onReport?: (reports: readonly ObjectReport[]) => void;
  readonly timing?: Partial<WatchTiming>;
  /** From 0 up to, not including, 1: for jitter. Default Math.random. */
  readonly random?: () => number;
}

export interface KubernetesSource extends Source {
  /** Present problems of objects, which are not served as they are in the cluster. */
  reports(): readonly ObjectReport[];
  /** Kinds that RBAC does not let us read, one line each. */
  forbidden(): readonly string[];
  /** The error while the API server cannot be read and the last state is served; undefined otherwise. */
  outage(): unknown;
}

/** Interval of log lines while a start waits for lists. */
const WAITING_LOG_MS = 10_000;

/** One list that is watched. */
interface Watched {
  readonly resource: Resource;
  readonly objects: ResourceObjects;
}

/**
 * Reads the objects of a Kubernetes cluster and follows their changes (docs/reference/sources.md#kubernetes-source).
 * The first batch is the whole state of all kinds. Kinds that are not installed, or may not be read, are left out; they
 * follow once they can be read. Each later batch is one step: events that arrived together, or the differences of a new
 * list of one kind.
 */
export function createKubernetesSource(options: KubernetesSourceOptions): KubernetesSource {
  const { cluster, clock, logger } = options;
  const problemLog = createProblemLog(options);
  let isStopped = false;
  const { promise: stopped, resolve: tellStopped } = withResolvers();
  let ownAccess: ClusterAccess | undefined;
  let watcher: ReportingListWatcher | undefined;
  let watched: readonly Watched[] = [];
  let cancelResync = (): void => undefined;
  /** Undefined until the first state is complete. */
  let deliver: ((batch: ChangeBatch) => void) | undefined;

  const handOver = (changes: readonly ObjectChange[]): void => {
    if (isStopped) return;
    try {
      deliver?.({ cluster, changes });
    } catch (err) {
      // An error here must not end the watch. The resync delivers the objects again.
      options.recorder.failed('delivery');
      logger.error({ err, cluster, changes: changes.length }, 'changes of the cluster could not be taken over');
    }
  };

  const everything = (): readonly ObjectChange[] =>
    inReadingOrder(watched).flatMap(({ objects }) =>
      [...objects.all()].map((object) => ({ type: 'upsert', object }) as const),
    );

  /** Starts watching one list. The promise settles when the list is read, or cannot be read for good. */
  const watch = (lists: ListWatcher, resource: Resource): [Watched, Promise<void>] => {
    const { definition } = resource;
    const { promise: settled, resolve: settle } = withResolvers();
    const objects = createResourceObjects({
      definition,
      read: (raw) => readClusterObject(raw, definition, options.kinds),
      recorder: options.recorder,
      onProblems: problemLog.update,
      withdrawsInvalid: options.withdrawsInvalid,
      onChanges: handOver,
      onReplaced: settle,
    });
    lists.watch({
      ...resource,
      sink: objects,
      onState: (state) => {
        if (state.type !== 'failing') settle();
      },
      onWarnings: createWarningLog(resource, options),
    });
    return [{ resource, objects }, settled];
  };

  /** Logs which lists the start waits for, at intervals, until the returned function is called. */
  const tellWaiting = (starting: readonly (readonly [Watched, Promise<void>])[]): (() => void) => {
    const waitingFor = new Set(starting.map(([{ resource }]) => resourceName(resource)));
    for (const [{ resource }, settled] of starting) void settled.then(() => waitingFor.delete(resourceName(resource)));
    const schedule = (): (() => void) =>
      clock.schedule(WAITING_LOG_MS, () => {
        logger.info({ cluster, waitingFor: [...waitingFor].sort() }, 'waiting for the first lists of a cluster');
        cancel = schedule();
      });
    let cancel = schedule();
    return () => cancel();
  };

  const openAccess = async (): Promise<ClusterAccess> => {
    if ('server' in options.access) return options.access;
    ownAccess = await loadClusterAccess(options.access);
    return ownAccess;
  };

  const scheduleResync = (): void => {
    if (options.resyncMs <= 0 || isStopped) return;
    cancelResync = clock.schedule(options.resyncMs, () => {
      for (const { resource, objects } of watched) {
        for (const _ of objects.all()) options.recorder.event(resource.definition, 'updatesame');
      }
      handOver(everything());
      scheduleResync();
    });
  };

  return {
    name: `kubernetes:${cluster}`,
    start: async (deliverBatch) => {
      const access = await openAccess();
      if (isStopped) {
        ownAccess?.close();
        return;
      }
      const { server } = access;
      const api = createApiClient(access, options.userAgent, options.outgoing);
      const { timing, random } = options;
      const lists = createListWatcher({ api, server, clock, logger, timing, random });
      watcher = lists;
      const resources = watchedResources({ ...options, useEndpointSlice: options.useEndpointSlice ?? false });
      logger.info({ server, cluster, namespaces: options.namespaces }, 'reading a cluster');
      const starting = resources.map((resource) => watch(lists, resource));
      watched = starting.map(([each]) => each);
      const cancelWaiting = tellWaiting(starting);
      await Promise.race([Promise.all(starting.map(([, settled]) => settled)), stopped]);
      cancelWaiting();
      if (isStopped) return;
      const changes = everything();
      deliverBatch({ cluster, changes });
      deliver = deliverBatch;
      logger.info({ server, cluster, objects: changes.length }, 'the cluster is read');
      scheduleResync();
    },
    stop: async () => {
      isStopped = true;
      tellStopped();
      cancelResync();
      await watcher?.stop();
      ownAccess?.close();
      // Without the source, the error metrics of its objects would stay.
      for (const { key } of problemLog.reports()) options.recorder.wellAgain(key);
    },
    reports: () => problemLog.reports(),
    forbidden: () => watcher?.forbidden() ?? [],
    outage: () => watcher?.outage(),
  };
}

/** Other objects are built from these kinds. A batch is applied as a whole, but this order costs less. */
const FIRST_KINDS: readonly string[] = ['Node', 'Pod', 'EndpointSlice', 'Endpoints'];

function inReadingOrder(watched: readonly Watched[]): readonly Watched[] {
  const rankOf = ({ resource }: Watched): number => {
    const rank = FIRST_KINDS.indexOf(resource.definition.kind);
    return rank < 0 ? FIRST_KINDS.length : rank;
  };
  return watched.toSorted((first, second) => rankOf(first) - rankOf(second));
}

/** Promise.withResolvers, which Node 20 does not have. */
function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
