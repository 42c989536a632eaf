import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import { isRecord } from '../../base/record.js';
import type { ObjectKey } from '../../config/object.js';
import { type ApiAnswer, type ApiRequest, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import { resourceName } from '../../kubernetes/watch/resource.js';
import type { Logger } from '../../telemetry/logger.js';
import type { ObjectStatus } from '../conditions/condition.js';
import { isInPlace } from '../conditions/object-status.js';
import { collectionPath, statusPath } from './object-paths.js';
import type { ObservedObject, ObservedObjects } from './observed-objects.js';
import { createTokenBucket } from './token-bucket.js';
import { writeOutcome } from './write-outcome.js';

export interface StatusWriterOptions {
  readonly send: SendRequest;
  readonly objects: Pick<ObservedObjects, 'get' | 'written'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
  /** NAV_STATUS_QPS */
  readonly perSecond: number;
  /** NAV_STATUS_BURST */
  readonly burst: number;
}

/** Writes the newest status of each object, within the configured rate. */
export interface StatusWriter {
  /** Queues a status; it replaces a queued status of the object. */
  write(key: ObjectKey, status: ObjectStatus): void;
  /** Removes the queued status of an object that already has the desired status. */
  drop(key: ObjectKey): void;
  /** Whether a write of the object is under way, so that its result is unknown. */
  isWriting(key: ObjectKey): boolean;
  /** Drops queued statuses; settles when all writes under way have been answered. */
  pause(): Promise<void>;
}

/** Field manager of the status writes: it owns the fields that it applies. */
export const FIELD_MANAGER = 'navigator-status';

const MAX_CONCURRENT = 8;
const KIND_RETRY_MS = 60_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { send, objects, clock, logger, random } = options;
  const bucket = createTokenBucket(options.perSecond, options.burst);
  const waiting = new Map<ObjectKey, ObjectStatus>();
  const writing = new Map<ObjectKey, Promise<void>>();
  /** Kinds whose statuses cannot be written, with the time of the next attempt. */
  const refusedKinds = new Map<string, number>();
  /** Statuses that the API server rejected or did not keep: they are written again only after a change. */
  const refused = new Map<ObjectKey, string>();
  let pausedUntilMs = 0;
  const backoff = createBackoff({ initialMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, random });
  let isRetrying = false;
  let cancelWake = (): void => undefined;

  const isRefused = (object: ObservedObject, status: ObjectStatus): boolean =>
    (refusedKinds.get(object.definition.kind) ?? 0) > clock.monotonicMs() ||
    refused.get(object.key) === identityOf(object, status);

  const postpone = (key: ObjectKey, status: ObjectStatus, err: unknown, waitMs: number | undefined): void => {
    if (!waiting.has(key)) waiting.set(key, status);
    const nowMs = clock.monotonicMs();
    if (nowMs < pausedUntilMs) return;
    const delayMs = Math.max(waitMs ?? 0, backoff.nextMs());
    if (!isRetrying) logger.warn({ err, object: key }, 'statuses cannot be written, trying again');
    else logger.debug({ err, object: key, delayMs }, 'statuses still cannot be written');
    isRetrying = true;
    pausedUntilMs = nowMs + delayMs;
  };

  const refuseKind = (object: ObservedObject, reason: string, remedy: string): void => {
    const { kind } = object.definition;
    const resource = resourceName(object);
    if (!refusedKinds.has(kind)) logger.error({ resource, reason, remedy }, 'statuses of a kind cannot be written');
    refusedKinds.set(kind, clock.monotonicMs() + KIND_RETRY_MS);
  };

  /**
   * The API server gives the same answer for a removed object and for a CRD without status, so this checks whether the
   * object exists. It sends a list request, which needs no right beyond those of the watch.
   */
  const lookFor = async (object: ObservedObject, reason: string): Promise<void> => {
    const query = { fieldSelector: `metadata.name=${object.name}` };
    const { status, body } = await send({ method: 'GET', path: collectionPath(object), query });
    const items: unknown = status === 200 && isRecord(body) ? body['items'] : undefined;
    // An object with another uid is new; the watch reports it.
    const isThere = Array.isArray(items) && items.some((item) => uidOf(item) === object.uid);
    if (!isThere) return;
    refuseKind(object, reason, `give the CRD ${resourceName(object)} the subresource status`);
  };

  const conclude = async (object: ObservedObject, status: ObjectStatus, answer: ApiAnswer): Promise<void> => {
    const { key, definition } = object;
    const outcome = writeOutcome(answer, resourceName(object));
    switch (outcome.type) {
      case 'written': {
        if (isRetrying) logger.info({}, 'statuses can be written again');
        isRetrying = false;
        backoff.reset();
        const made = objects.written(object, answer.body);
        refused.delete(key);
        if (refusedKinds.delete(definition.kind)) {
          logger.info({ kind: definition.kind }, 'statuses of a kind can be written again');
        }
        if (isInPlace(status, made.status)) return;
        // Another field manager owns a part of the status, or the CRD prunes it.
        refused.set(key, identityOf(made, status));
        logger.warn({ object: key }, 'written status was not kept, next write when it changes');
        return;
      }
      case 'gone':
        refused.delete(key);
        if (answer.status === 404) await lookFor(object, refusalText(answer));
        return;
      case 'kindRefused':
        refuseKind(object, outcome.reason, outcome.remedy);
        return;
      case 'refused':
        refused.set(key, identityOf(object, status));
        logger.error({ object: key, reason: outcome.reason }, 'api server rejects the status of an object');
        return;
      case 'later':
        postpone(key, status, new Error(outcome.reason), outcome.waitMs);
    }
  };

  const writeOne = async (object: ObservedObject, status: ObjectStatus): Promise<void> => {
    try {
      await conclude(object, status, await send(applyRequest(object, status)));
    } catch (err) {
      postpone(object.key, status, err, undefined);
    } finally {
      writing.delete(object.key);
    }
    pump();
  };

  const wakeIn = (delayMs: number): void => {
    cancelWake();
    cancelWake = clock.schedule(delayMs, pump);
  };

  function pump(): void {
    const nowMs = clock.monotonicMs();
    // After a failure the writer sends one write at a time.
    const concurrent = isRetrying ? 1 : MAX_CONCURRENT;
    for (const [key, status] of waiting) {
      if (writing.size >= concurrent) return;
      if (writing.has(key)) continue;
      if (nowMs < pausedUntilMs) {
        wakeIn(pausedUntilMs - nowMs);
        return;
      }
      const object = objects.get(key);
      if (object === undefined || isRefused(object, status)) {
        waiting.delete(key);
        continue;
      }
      const token = bucket.take(nowMs);
      if (!token.taken) {
        wakeIn(token.waitMs);
        return;
      }
      waiting.delete(key);
      writing.set(key, writeOne(object, status));
    }
  }

  return {
    write: (key, status) => {
      waiting.set(key, status);
      pump();
    },
    drop: (key) => void waiting.delete(key),
    isWriting: (key) => writing.has(key),
    pause: async () => {
      waiting.clear();
      cancelWake();
      await Promise.all([...writing.values()]);
      // A failed write has queued its status again.
      waiting.clear();
      cancelWake();
    },
  };
}

function uidOf(raw: unknown): unknown {
  return isRecord(raw) && isRecord(raw['metadata']) ? raw['metadata']['uid'] : undefined;
}

/** Server-side apply removes fields that the last apply had and this one lacks. Fields of other managers stay. */
function applyRequest(object: ObservedObject, status: ObjectStatus): ApiRequest {
  const { definition, apiVersion, namespace, name, uid } = object;
  return {
    method: 'PATCH',
    path: statusPath(object),
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion,
      kind: definition.kind,
      // The uid excludes a newer object with the same name.
      metadata: { name, ...(namespace === '' ? {} : { namespace }), ...(uid === '' ? {} : { uid }) },
      status,
    },
  };
}

function identityOf({ uid, status: present }: ObservedObject, status: ObjectStatus): string {
  return JSON.stringify([uid, withoutTimes(present), withoutTimes(status)]);
}

function withoutTimes({ conditions = [], proxies, validationMessages }: ObjectStatus): unknown {
  return [
    proxies,
    conditions.map(({ type, status, reason, message, observedGeneration }) => [
      type,
      status,
      reason,
      message,
      observedGeneration,
    ]),
    validationMessages,
  ];
}
