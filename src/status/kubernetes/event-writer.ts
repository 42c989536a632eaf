import type { Clock } from '../../base/clock.js';
import { refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import type { Logger } from '../../telemetry/logger.js';
import { createTokenBucket } from './token-bucket.js';

/** A problem of an object that becomes an Event, which `kubectl describe` and `kubectl get events` show. */
export interface Complaint {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object, whose Event is in `default`. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** One word for programs. */
  readonly reason: string;
  /** One line for people. */
  readonly message: string;
}

/** Writes a Kubernetes Event for each complaint that lasts (docs/status.md#events). */
export interface EventWriter {
  /** Takes all present complaints. Returns whether one of them has not lasted `EVENT_HOLD_MS` yet. */
  update(complaints: readonly Complaint[]): boolean;
}

export interface EventWriterOptions {
  readonly send: SendRequest;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of this process; empty for none. */
  readonly instance: string;
}

/** A complaint must last this long: a policy may be applied just before the objects that it names. */
export const EVENT_HOLD_MS = 2_000;
/** A lasting complaint is written again after this time, because API servers delete Events after an hour. */
const REPEAT_MS = 3_600_000;
const PER_SECOND = 1;
const BURST = 25;
const MAX_KNOWN = 10_000;
const MAX_NOTE_BYTES = 1_000;
const REFUSED_MS = 60_000;
const COMPONENT = 'navigator-discovery';

/** Writes at most 25 Events at once, then one each second. Further complaints are written later if they last. */
export function createEventWriter({ send, clock, logger, instance }: EventWriterOptions): EventWriter {
  const bucket = createTokenBucket(PER_SECOND, BURST);
  let since = new Map<string, number>();
  const told = new Map<string, number>();
  let refusedUntilMs = 0;

  const write = async (complaint: Complaint): Promise<void> => {
    const { namespace, reason, message, ...object } = complaint;
    const place = namespace === '' ? 'default' : namespace;
    const time = clock
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    const answer = await send({
      method: 'POST',
      path: `/api/v1/namespaces/${encodeURIComponent(place)}/events`,
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { generateName: `${complaint.name.slice(0, 200)}.`, namespace: place },
        involvedObject: { ...object, ...(namespace === '' ? {} : { namespace }) },
        type: 'Warning',
        reason,
        message: Buffer.from(message).subarray(0, MAX_NOTE_BYTES).toString(),
        source: { component: COMPONENT },
        reportingComponent: COMPONENT,
        reportingInstance: instance,
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      },
    });
    if (answer.status < 300) return;
    // The namespace of the object is being deleted.
    if (answer.status === 404 || (answer.status === 403 && refusalText(answer).includes('being terminated'))) return;
    throw new Error(refusalText(answer));
  };

  const tell = (complaint: Complaint): void => {
    void write(complaint).catch((err: unknown) => {
      const nowMs = clock.monotonicMs();
      told.delete(keyOf(complaint));
      if (nowMs < refusedUntilMs) return;
      refusedUntilMs = nowMs + REFUSED_MS;
      const remedy = 'let the service account create events';
      logger.warn({ err, remedy }, 'events cannot be written, trying again in a minute');
    });
  };

  return {
    update: (complaints) => {
      const nowMs = clock.monotonicMs();
      const next = new Map<string, number>();
      let isWaiting = false;
      for (const complaint of complaints.slice(0, MAX_KNOWN)) {
        const key = keyOf(complaint);
        const sinceMs = since.get(key) ?? nowMs;
        next.set(key, sinceMs);
        if (nowMs - (told.get(key) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) continue;
        if (nowMs - sinceMs < EVENT_HOLD_MS) isWaiting = true;
        else if (nowMs >= refusedUntilMs && bucket.take(nowMs).taken) {
          told.set(key, nowMs);
          tell(complaint);
        }
      }
      since = next;
      for (const [key, atMs] of told) if (nowMs - atMs >= REPEAT_MS || told.size > MAX_KNOWN) told.delete(key);
      return isWaiting;
    },
  };
}

function keyOf({ uid, namespace, name, kind, reason, message }: Complaint): string {
  return JSON.stringify([uid, kind, namespace, name, reason, message]);
}
