import type { Clock } from '../base/clock.js';
import type { ResourceGenerator } from '../generators/generator.js';
import type { Proxy } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import { mergePushRequests, type PushReason, type PushRequest } from '../model/push-request.js';
import type { Logger } from '../telemetry/logger.js';
import { createDebouncer, type DebounceSettings } from './debouncer.js';
import { createDiffCache, type DiffCache } from './diff-cache.js';
import type { DistributionLedger } from './distribution-ledger.js';
import { ledgerChanges } from './ledger-changes.js';
import type { PushActivityLog } from './push-activity-log.js';
import type { PushMetrics } from './push-metrics.js';
import { createPushNotice, type PushNotice } from './push-notice.js';
import { createPushQueue, type PushQueueSettings, type PushTarget } from './push-queue.js';
import { createResourceCache, type ResourceCache } from './resource-cache.js';
import { createResponseCache, type ResponseCache } from './response-cache.js';
import type { WorkRunner } from './work-runner.js';

/** The current snapshot and the caches that all connected proxies are served from. */
export interface Distribution {
  /** Undefined until the sources have synced. */
  readonly context: PushContext | undefined;
  /** Ledger version of the snapshot's configuration; empty if tracking is off. */
  readonly configVersion: string;
  /** Those of Envoys, by type URL. */
  readonly generators: ReadonlyMap<string, ResourceGenerator>;
  /** The generator of a type for one proxy; undefined for a type that it does not get. */
  generatorOf(
    typeUrl: string,
    proxy: Pick<Proxy, 'isProxyless' | 'isApiClient' | 'isEventClient'>,
  ): ResourceGenerator | undefined;
  readonly resources: ResourceCache;
  readonly responses: ResponseCache;
  readonly diffs: DiffCache;
}

/** A connected proxy that pushes go to. */
export interface Subscriber extends PushTarget {
  /** Called for every push. @returns whether the subscriber needs a push */
  notePush(notice: PushNotice): boolean;
}

/**
 * Brings changes to all proxies that they concern (docs/architecture.md#how-a-change-reaches-a-proxy): merges them,
 * builds the next snapshot, and queues the proxies.
 */
export interface Distributor extends Distribution {
  /** The sources have synced: builds the first snapshot and serves proxies from now on. */
  start(): void;
  /** Reports a change. Changes before `start` are part of the first snapshot. */
  submit(request: PushRequest): void;
  /** Pushes all types to all proxies without waiting. @returns the number of proxies */
  pushAll(reason: PushReason): number;
  add(subscriber: Subscriber): void;
  remove(subscriber: Subscriber): void;
  enqueue(subscriber: Subscriber): void;
  stop(): void;
}

export interface DistributorSettings {
  readonly debounce: DebounceSettings;
  readonly queue: PushQueueSettings;
  /** ControlPlane.identifier of every response. */
  readonly controlPlane: string;
}

export interface DistributorParts {
  readonly generators: ReadonlyMap<string, ResourceGenerator>;
  /** Those of gRPC clients without proxies, by type URL. Default: these clients get the resources of Envoys. */
  readonly proxylessGenerators?: ReadonlyMap<string, ResourceGenerator>;
  /** Those of clients that get configuration objects, by type URL. Default: these clients get nothing. */
  readonly objectGenerators?: ReadonlyMap<string, ResourceGenerator>;
  /** Undefined when distribution tracking is off. */
  readonly ledger: DistributionLedger | undefined;
  readonly metrics: PushMetrics;
  /** Is told of every push, for pages. */
  readonly activity?: Pick<PushActivityLog, 'begun'>;
  /** Runs the computations of sessions, which leave time to pushes. */
  readonly runner?: Pick<WorkRunner, 'waiting'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Builds the next snapshot from the stores. */
  nextContext(previous: PushContext | undefined, request: PushRequest): PushContext;
}

export function createDistributor(settings: DistributorSettings, parts: DistributorParts): Distributor {
  const { metrics, clock, ledger, logger } = parts;
  const subscribers = new Set<Subscriber>();
  const queue = createPushQueue(settings.queue, clock, parts.runner);
  const responses = createResponseCache(settings.controlPlane);
  const diffs = createDiffCache();
  let started = false;
  let context: PushContext | undefined;
  let resources: ResourceCache | undefined;
  /** A push that failed; the next push includes it. */
  let missed: PushRequest | undefined;

  const advance = (newest: PushRequest): PushNotice | undefined => {
    const request = missed === undefined ? newest : mergePushRequests(missed, newest);
    try {
      const next = parts.nextContext(context, request);
      ledger?.record(ledgerChanges(context, next, request.changed), clock.monotonicMs());
      const notice = createPushNotice(request, next);
      if (resources === undefined) resources = createResourceCache(next);
      else resources.advance(next, notice);
      context = next;
      missed = undefined;
      return notice;
    } catch (err) {
      missed = request;
      metrics.contextError();
      logger.error({ err }, 'next push context could not be built; proxies keep the last one');
      return undefined;
    }
  };

  const isConcerned = (subscriber: Subscriber, notice: PushNotice): boolean => {
    try {
      return subscriber.notePush(notice);
    } catch (err) {
      metrics.internalError();
      logger.error({ err }, 'subscriber failed to handle a push');
      return false;
    }
  };

  const push = (request: PushRequest): number => {
    for (const reason of request.reasons) metrics.triggered(reason);
    const begunMs = clock.monotonicMs();
    const notice = advance(request);
    const builtMs = clock.monotonicMs();
    if (notice === undefined) {
      parts.activity?.begun({ request, version: '', proxies: 0, begunMs, builtMs });
      return 0;
    }
    let concerned = 0;
    for (const subscriber of subscribers) {
      if (!isConcerned(subscriber, notice)) continue;
      concerned++;
      queue.enqueue(subscriber);
    }
    parts.activity?.begun({ request, version: context?.version ?? '', proxies: concerned, begunMs, builtMs });
    logger.debug(
      { version: context?.version, full: request.full, reasons: request.reasons, proxies: concerned },
      'push started',
    );
    return concerned;
  };

  const debouncer = createDebouncer(settings.debounce, clock, push);

  return {
    get context() {
      return context;
    },
    get configVersion() {
      return ledger?.configVersion ?? '';
    },
    generators: parts.generators,
    generatorOf: (typeUrl, { isProxyless, isApiClient, isEventClient }) => {
      if (isEventClient === true) return undefined;
      if (isApiClient === true) return parts.objectGenerators?.get(typeUrl);
      const { generators, proxylessGenerators = generators } = parts;
      return (isProxyless === true ? proxylessGenerators : generators).get(typeUrl);
    },
    get resources() {
      if (resources === undefined) throw new Error('resources are asked for before the first snapshot');
      return resources;
    },
    responses,
    diffs,
    start: () => {
      if (started) return;
      started = true;
      advance(everything('unknown', clock.monotonicMs()));
    },
    submit: (request) => {
      if (started) debouncer.submit(request);
    },
    pushAll: (reason) => (context === undefined ? 0 : push(everything(reason, clock.monotonicMs()))),
    add: (subscriber) => void subscribers.add(subscriber),
    remove: (subscriber) => {
      subscribers.delete(subscriber);
      queue.remove(subscriber);
    },
    enqueue: (subscriber) => queue.enqueue(subscriber),
    stop: () => {
      debouncer.stop();
      queue.stop();
    },
  };
}

function everything(reason: PushReason, startMs: number): PushRequest {
  return {
    full: true,
    changed: 'everything',
    endpoints: new Set(),
    addresses: new Set(),
    reasons: [reason],
    startMs,
  };
}
