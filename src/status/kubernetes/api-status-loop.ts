import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import { isRecord } from '../../base/record.js';
import type { ObjectKey } from '../../config/object.js';
import type { SendRequest } from '../../kubernetes/client/api-sender.js';
import { resourceName } from '../../kubernetes/watch/resource.js';
import type { Logger } from '../../telemetry/logger.js';
import { isStatusInPlace, type StatusFields } from '../gateway-api/gateway-statuses.js';
import { createWorkPause } from '../work-pause.js';
import { statusPath } from './object-paths.js';
import { type ObservedObject, type ObservedObjects, observeObjects } from './observed-objects.js';
import { createTokenBucket } from './token-bucket.js';
import { writeOutcome } from './write-outcome.js';

/** An object of the Gateway API, or an Ingress, with all fields of its status: other controllers write some of them. */
type ApiStatusObject = ObservedObject<StatusFields>;

/** The present state of the objects whose statuses this process writes. @param onChange called after each change */
export function createApiStatusObjects(onChange: () => void): ObservedObjects<StatusFields> {
  return observeObjects((status) => (isRecord(status) ? status : {}), onChange);
}

/** The status that an object should have, made from the one that it has. */
export interface WantedStatus {
  readonly key: ObjectKey;
  desired(present: StatusFields): StatusFields | undefined;
}

export interface ApiStatusLoopOptions {
  readonly objects: Pick<ObservedObjects<StatusFields>, 'get' | 'written'>;
  readonly send: SendRequest;
  /** All statuses, as they should be now. */
  readonly wanted: () => readonly WantedStatus[];
  /** NAV_STATUS_QPS */
  readonly perSecond: number;
  /** NAV_STATUS_BURST */
  readonly burst: number;
  readonly clock: Clock;
  /** Scope `status`. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
}

/** Keeps the statuses of objects of the Gateway API, and of Ingresses, as they should be. Runs only on the leader. */
export interface ApiStatusLoop {
  /** Something may have changed. */
  changed(): void;
  start(): void;
  /** Settles when all writes under way have been answered. */
  stop(): Promise<void>;
}

/** Changes within this time are written together. */
const PERIOD_MS = 100;
const MAX_CONCURRENT = 8;
/** A refused object or kind is tried again after this time, or after its next change. */
const RETRY_MS = 10_000;

export function createApiStatusLoop(options: ApiStatusLoopOptions): ApiStatusLoop {
  const { objects, send, wanted, clock, logger } = options;
  const bucket = createTokenBucket(options.perSecond, options.burst);
  const backoff = createBackoff({ initialMs: 500, maxMs: 30_000, random: options.random });
  const work = createWorkPause(clock);
  const writing = new Map<ObjectKey, Promise<void>>();
  /** Objects whose write was refused: their version, and the time of the next attempt. */
  const refused = new Map<ObjectKey, { readonly resourceVersion: string; readonly untilMs: number }>();
  const told = new Set<string>();
  let isRunning = false;
  let pausedUntilMs = 0;
  let scheduledMs: number | undefined;
  let cancel = (): void => undefined;

  const refuse = (object: ApiStatusObject, reason: string, remedy: string): void => {
    const { key, resourceVersion } = object;
    const resource = resourceName(object);
    refused.set(key, { resourceVersion, untilMs: clock.monotonicMs() + RETRY_MS });
    const subject = `${resource} ${reason}`;
    if (told.has(subject)) return;
    if (told.size > 100) told.clear();
    told.add(subject);
    logger.error({ object: key, resource, reason, remedy }, 'status of gateway or ingress cannot be written');
  };

  const keep = (made: ApiStatusObject, desired: WantedStatus['desired']): void => {
    const status = desired(made.status);
    if (status === undefined || isStatusInPlace(status, made.status)) return;
    refuse(made, 'the API server did not keep it', 'see its CRD');
  };

  const write = async (object: ApiStatusObject, status: StatusFields, { desired }: WantedStatus): Promise<void> => {
    const { key, resourceVersion } = object;
    try {
      const answer = await send({
        method: 'PATCH',
        path: statusPath(object),
        contentType: 'application/merge-patch+json',
        // The lists have entries of other controllers: a write from an older state must not undo theirs.
        body: { metadata: { resourceVersion }, status },
      });
      const outcome = writeOutcome(answer, resourceName(object));
      switch (outcome.type) {
        case 'written':
          backoff.reset();
          refused.delete(key);
          keep(objects.written(object, answer.body), desired);
          break;
        case 'gone':
          // The watch reports the newer state.
          break;
        case 'kindRefused':
          refuse(object, outcome.reason, outcome.remedy);
          break;
        case 'refused':
          refuse(object, outcome.reason, 'report it');
          break;
        case 'later':
          pausedUntilMs = clock.monotonicMs() + Math.max(outcome.waitMs ?? 0, backoff.nextMs());
          break;
      }
    } catch (err) {
      pausedUntilMs = clock.monotonicMs() + backoff.nextMs();
      logger.debug({ err, object: key }, 'status of gateway or ingress is written later');
    }
  };

  const isRefused = ({ key, resourceVersion }: ApiStatusObject, nowMs: number): boolean => {
    const last = refused.get(key);
    return last !== undefined && last.resourceVersion === resourceVersion && last.untilMs > nowMs;
  };

  /** Starts the writes that may start now. Returns when to compare again, in milliseconds. */
  const compareAll = (): number => {
    const nowMs = clock.monotonicMs();
    if (nowMs < pausedUntilMs) return pausedUntilMs - nowMs;
    for (const each of wanted()) {
      const { key, desired } = each;
      const object = objects.get(key);
      if (object === undefined || writing.has(key) || isRefused(object, nowMs)) continue;
      const status = desired(object.status);
      if (status === undefined || isStatusInPlace(status, object.status)) continue;
      if (writing.size >= MAX_CONCURRENT) return PERIOD_MS;
      const token = bucket.take(nowMs);
      if (!token.taken) return token.waitMs;
      const done = write(object, status, each).finally(() => {
        writing.delete(key);
        schedule(PERIOD_MS);
      });
      writing.set(key, done);
    }
    return RETRY_MS;
  };

  const compare = (): void => {
    scheduledMs = undefined;
    let againMs = RETRY_MS;
    try {
      againMs = work.run(compareAll);
    } catch (err) {
      logger.error({ err }, 'comparing statuses failed');
    }
    schedule(againMs);
  };

  const schedule = (afterMs: number): void => {
    if (!isRunning) return;
    const atMs = clock.monotonicMs() + Math.max(afterMs, work.pauseMs);
    if (scheduledMs !== undefined && scheduledMs <= atMs) return;
    cancel();
    scheduledMs = atMs;
    cancel = clock.schedule(atMs - clock.monotonicMs(), compare);
  };

  return {
    changed: () => schedule(PERIOD_MS),
    start: () => {
      isRunning = true;
      schedule(0);
    },
    stop: async () => {
      isRunning = false;
      cancel();
      scheduledMs = undefined;
      await Promise.all(writing.values());
    },
  };
}
