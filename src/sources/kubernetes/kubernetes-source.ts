import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.js';
import type { KindRegistry } from '../../config/kinds.js';
import { createApiClient } from '../../kubernetes/client/api-client.js';
import {
  type ClusterAccess,
  type ClusterAccessOptions,
  loadClusterAccess,
} from '../../kubernetes/client/cluster-access.js';
import type { ReflectorState } from '../../kubernetes/watch/judge-failure.js';
import { runReflector } from '../../kubernetes/watch/reflector.js';
import { type Resource, resourceName } from '../../kubernetes/watch/resource.js';
import { createStateLog, type StateLog } from '../../kubernetes/watch/state-log.js';
import { DEFAULT_WATCH_TIMING, type WatchTiming } from '../../kubernetes/watch/watch-timing.js';
import type { ChangeBatch, ObjectChange } from '../../model/object-change.js';
import type { Logger } from '../../telemetry/logger.js';
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
   * How to reach the API server: `--orchconfig`, or from inside of the cluster; or access that is there already, and
   * that whoever opened it closes.
   */
  readonly access: ClusterAccessOptions | ClusterAccess;
  /** Cluster that the objects count as living in: `--clusterID`, or a remote cluster's id. */
  readonly cluster: string;
  readonly kinds: KindRegistry;
  /** `--appNamespace` with the control plane's own namespace; empty for all namespaces. */
  readonly namespaces: readonly string[];
  /** NAV_USE_ENDPOINT_SLICE; undefined when it is not set, which means Endpoints, and one line of log where those are deprecated. */
  readonly useEndpointSlice: boolean | undefined;
  /**
   * NAV_ENABLE_CRD_VALIDATION: whether an object that became invalid is withdrawn, as where no webhook keeps such
   * objects out; else its last good state stays. Invalid objects are never served and always reported.
   */
  readonly withdrawsInvalid: boolean;
  /** `--resync`, in milliseconds: all objects are handed over anew this often; 0 for never. */
  readonly resyncMs: number;
  /** Scope `kube`. */
  readonly logger: Logger;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  /** Sent to the API server with every request. */
  readonly userAgent: string;
  /** Called with all present problems whenever they change. */
  readonly onReport?: (reports: readonly ObjectReport[]) => void;
  readonly timing?: Partial<WatchTiming>;
  /** From 0 up to, not including, 1: for jitter. Default Math.random. */
  readonly random?: () => number;
}

export interface KubernetesSource extends Source {
  /** Objects that are not served as they are in the cluster, at present. */
  reports(): readonly ObjectReport[];
  /** Kinds that RBAC does not let us read, one line each. */
  forbidden(): readonly string[];
  /** Why what was read last is served, for as long as the API server cannot be read; undefined when it can. */
  outage(): unknown;
}

/** How often a start that takes long says what it waits for. */
const WAITING_LOG_MS = 10_000;

/** One list that is watched. */
interface Watched {
  readonly resource: Resource;
  readonly objects: ResourceObjects;
}

/**
 * Objects of a Kubernetes cluster, kept up to date (DESIGN 7). The first batch is the whole state of all kinds: those
 * that are not installed or may not be read are left out, and come later by themselves. After it, each batch is what
 * one step brought: events that arrived together, or what a new list of one kind changed.
 */
export function createKubernetesSource(options: KubernetesSourceOptions): KubernetesSource {
  const { cluster, clock, logger } = options;
  const timing = { ...DEFAULT_WATCH_TIMING, ...options.timing };
  const problemLog = createProblemLog(options);
  const stopping = new AbortController();
  // Every request in flight listens, and there is one for each list.
  setMaxListeners(0, stopping.signal);
  const running: Promise<void>[] = [];
  let ownAccess: ClusterAccess | undefined;
  let stateLog: StateLog | undefined;
  let watched: readonly Watched[] = [];
  let cancelResync = (): void => undefined;
  /** Undefined until the first state is whole. */
  let deliver: ((batch: ChangeBatch) => void) | undefined;

  const handOver = (changes: readonly ObjectChange[]): void => {
    if (stopping.signal.aborted) return;
    try {
      deliver?.({ cluster, changes });
    } catch (err) {
      // A watch must not end for it; the resync hands the objects over again.
      logger.error({ err, cluster, changes: changes.length }, 'changes of the cluster could not be taken over');
    }
  };

  const everything = (): readonly ObjectChange[] =>
    inReadingOrder(watched).flatMap(({ objects }) =>
      [...objects.all()].map((object) => ({ type: 'upsert', object }) as const),
    );

  /** Starts watching one list; the promise settles when it is known, empty or not. */
  const watch = (
    resource: Resource,
    api: ReturnType<typeof createApiClient>,
    log: StateLog,
  ): [Watched, Promise<void>] => {
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
    const onState = (state: ReflectorState): void => {
      log.update(resource, state);
      if (state.type !== 'failing') settle();
    };
    const random = options.random ?? Math.random;
    const onWarnings = createWarningLog(resource, options);
    const reflector = { resource, api, sink: objects, clock, timing, random, onState, onWarnings };
    running.push(runReflector(reflector, stopping.signal));
    return [{ resource, objects }, settled];
  };

  /** Says what the start is waiting for, for as long as it does. */
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
    if (options.resyncMs <= 0 || stopping.signal.aborted) return;
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
      const { server } = access;
      const log = createStateLog({ server, logger, clock });
      stateLog = log;
      const api = createApiClient(access, options.userAgent);
      const resources = watchedResources({ ...options, useEndpointSlice: options.useEndpointSlice ?? false });
      logger.info({ server, cluster, namespaces: options.namespaces }, 'reading a cluster');
      const starting = resources.map((resource) => watch(resource, api, log));
      watched = starting.map(([each]) => each);
      const cancelWaiting = tellWaiting(starting);
      const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
      await Promise.race([Promise.all(starting.map(([, settled]) => settled)), stopped]);
      cancelWaiting();
      if (stopping.signal.aborted) return;
      const changes = everything();
      deliverBatch({ cluster, changes });
      deliver = deliverBatch;
      logger.info({ server, cluster, objects: changes.length }, 'the cluster is read');
      scheduleResync();
    },
    stop: async () => {
      stopping.abort();
      cancelResync();
      await Promise.all(running);
      ownAccess?.close();
      // Nothing of it is served any more, and its series would stay.
      for (const { key } of problemLog.reports()) options.recorder.wellAgain(key);
    },
    reports: () => problemLog.reports(),
    forbidden: () => stateLog?.forbidden() ?? [],
    outage: () => stateLog?.outage(),
  };
}

/** What others are made of comes before them: a batch is read as a whole, but costs less in this order. */
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
