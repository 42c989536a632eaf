import type { Clock } from '../../base/clock.js';
import { isRecord } from '../../base/record.js';
import type { ObjectKey } from '../../config/object.js';
import { type ApiAnswer, type ApiRequest, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import type { Logger } from '../../telemetry/logger.js';
import type { ObjectStatus } from '../conditions/condition.js';
import { isInPlace } from '../conditions/object-status.js';
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

/** Writes statuses, the newest of each object, as fast as it may. */
export interface StatusWriter {
  /** Puts a status on its way, in place of one that waits. */
  write(key: ObjectKey, status: ObjectStatus): void;
  /** The object has the status that it should have: nothing that waits is written. */
  drop(key: ObjectKey): void;
  /** Whether a write of the object is being answered: what it makes of the object is not known yet. */
  isWriting(key: ObjectKey): boolean;
  /** Ends what waits and begins nothing; settles when what is on its way has been answered. */
  pause(): Promise<void>;
}

/** Our name among those who write to objects: it owns the fields that it applies, and no others. */
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
  /** Kinds that nothing can be written of, until when. */
  const refusedKinds = new Map<string, number>();
  /** What was refused for an object, or had no effect: it is not tried again before it changes. */
  const refused = new Map<ObjectKey, string>();
  let pausedUntilMs = 0;
  let retryMs = FIRST_RETRY_MS;
  let cancelWake = (): void => undefined;

  const isRefused = (object: ObservedObject, status: ObjectStatus): boolean =>
    (refusedKinds.get(object.definition.kind) ?? 0) > clock.monotonicMs() ||
    refused.get(object.key) === identityOf(object, status);

  const postpone = (key: ObjectKey, status: ObjectStatus, err: unknown, waitMs: number | undefined): void => {
    if (!waiting.has(key)) waiting.set(key, status);
    const nowMs = clock.monotonicMs();
    if (nowMs < pausedUntilMs) return;
    if (retryMs === FIRST_RETRY_MS) logger.warn({ err, object: key }, 'Statuses cannot be written now; trying again');
    else logger.debug({ err, object: key, retryMs }, 'Statuses still cannot be written');
    const delayMs = Math.max(waitMs ?? 0, retryMs * (0.5 + random() / 2));
    retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
    pausedUntilMs = nowMs + delayMs;
  };

  const refuseKind = (
    { definition: { kind, plural, group } }: ObservedObject,
    reason: string,
    remedy: string,
  ): void => {
    const resource = `${plural}.${group}`;
    if (!refusedKinds.has(kind)) logger.error({ resource, reason, remedy }, 'Statuses of a kind cannot be written');
    refusedKinds.set(kind, clock.monotonicMs() + KIND_RETRY_MS);
  };

  /**
   * The API server answers the same when an object is gone and when its CRD has no status: whether the object is there
   * tells. Asked for as a list, which takes no right that watching does not.
   */
  const lookFor = async (object: ObservedObject, reason: string): Promise<void> => {
    const query = { fieldSelector: `metadata.name=${object.name}` };
    const { status, body } = await send({ method: 'GET', path: collectionOf(object), query });
    const items: unknown = status === 200 && isRecord(body) ? body['items'] : undefined;
    // One of another uid was made since, and the watch will tell.
    const isThere = Array.isArray(items) && items.some((item) => uidOf(item) === object.uid);
    if (!isThere) return;
    const { plural, group } = object.definition;
    refuseKind(object, reason, `give the CRD ${plural}.${group} the subresource status`);
  };

  const conclude = async (object: ObservedObject, status: ObjectStatus, answer: ApiAnswer): Promise<void> => {
    const { key, definition } = object;
    const outcome = writeOutcome(answer, `${definition.plural}.${definition.group}`);
    switch (outcome.type) {
      case 'written': {
        if (retryMs !== FIRST_RETRY_MS) logger.info({}, 'Statuses can be written again');
        retryMs = FIRST_RETRY_MS;
        const made = objects.written(object, answer.body);
        refused.delete(key);
        if (refusedKinds.delete(definition.kind)) {
          logger.info({ kind: definition.kind }, 'Statuses of a kind can be written now');
        }
        if (isInPlace(status, made.status)) return;
        // Somebody else owns a part of it, or the CRD does not keep it.
        refused.set(key, identityOf(made, status));
        logger.warn({ object: key }, 'A status is not kept as it is written; it is written again when it changes');
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
        logger.error({ object: key, reason: outcome.reason }, 'The API server does not take the status of an object');
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
    // An API server that failed is felt out with one write at a time.
    const concurrent = retryMs === FIRST_RETRY_MS ? MAX_CONCURRENT : 1;
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
      // What was answered with a refusal waits again.
      waiting.clear();
      cancelWake();
    },
  };
}

function uidOf(raw: unknown): unknown {
  return isRecord(raw) && isRecord(raw['metadata']) ? raw['metadata']['uid'] : undefined;
}

function collectionOf({ definition, apiVersion, namespace }: ObservedObject): string {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/apis/${apiVersion}${scope}/${definition.plural}`;
}

/** Server-side apply: what we applied before and do not now is removed, and what others wrote stays. */
function applyRequest(object: ObservedObject, status: ObjectStatus): ApiRequest {
  const { definition, apiVersion, namespace, name, uid } = object;
  return {
    method: 'PATCH',
    path: `${collectionOf(object)}/${encodeURIComponent(name)}/status`,
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion,
      kind: definition.kind,
      // An object of the same name that was made since is another one.
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
