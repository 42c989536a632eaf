import { hasResource } from '../envoy/resource-set.js';
import { shortTypeName, TypeUrl } from '../envoy/type-urls.js';
import type { WireMessage } from '../envoy/wire-message.js';
import { PendingWrites } from '../push/pending-writes.js';
import type { PushNotice } from '../push/push-notice.js';
import type { PushResult } from '../push/push-queue.js';
import type { TurnOwner } from '../push/waiting-targets.js';
import type { Work } from '../push/work.js';
import { AnswerTimer } from './answer-timer.js';
import { haveWaitingUsers, waitsForClusters } from './cluster-users.js';
import type { DiscoveryProtocol, NextResponse } from './discovery-protocol.js';
import type { SessionEnvironment } from './session-environment.js';
import type { Subscriptions } from './subscriptions.js';
import { waitsForTables } from './virtual-host-resources.js';
import type { PendingPush, WatchedResource } from './watched-resource.js';

export interface ResponderParts {
  readonly environment: Pick<SessionEnvironment, 'runner' | 'metrics' | 'clock' | 'logger' | 'limits'>;
  readonly subscriptions: Subscriptions;
  readonly protocol: Pick<DiscoveryProtocol, 'nextResponse' | 'lastOfPush' | 'waits'>;
  /** The peer that long computations are made for. */
  readonly owner: TurnOwner;
  connectionId(): string;
  isEnded(): boolean;
  /** Asks for a push of this stream. */
  enqueue(): void;
  /** @param done called once, when the message has left this process, or never will */
  send(type: string, message: WireMessage, done: () => void): void;
  /** A response goes out though the proxy has not answered the one before. */
  onUnacknowledged(type: string): void;
  /** The proxy has the resources that it should have, and needs no response. */
  onUpToDate(watched: WatchedResource): void;
}

interface Prepared {
  readonly watched: WatchedResource;
  readonly subscription: number;
  readonly pending: PendingPush;
  readonly next: NextResponse | undefined;
}

/** The result of a push for one type. */
type Outcome =
  | { readonly is: 'nothing' }
  | { readonly is: 'interrupted' }
  | { readonly is: 'sent'; readonly bytes: number };

/** A push that has taken this long leaves its further types to another turn, so that types of a large mesh do not add up. */
const TURN_MS = 10;
const NOTHING: Outcome = { is: 'nothing' };
const INTERRUPTED: Outcome = { is: 'interrupted' };

/**
 * Decides when the types of one stream get their next responses, makes these one at a time and in slices, and sends
 * them. A response of a hundred thousand names must not block the event loop; the types after it in the push order wait.
 */
export class Responder {
  readonly #parts: ResponderParts;
  #preparing: WatchedResource | undefined;
  #prepared: Prepared | undefined;
  #startMs = 0;
  /** Start of the oldest change that was not sent, and whether a full push is among the changes. */
  #changedSinceMs: number | undefined;
  #isFullPush = false;
  #isInterrupted = false;
  readonly #answers: AnswerTimer;

  constructor(parts: ResponderParts) {
    this.#parts = parts;
    this.#answers = new AnswerTimer(parts.environment, parts.subscriptions, () => {
      if (this.isReady) parts.enqueue();
    });
  }

  get isPreparing(): boolean {
    return this.#preparing !== undefined;
  }

  /** Whether the last push left types to another one, which has been asked for. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** Whether a response may be sent now. */
  get isReady(): boolean {
    for (const watched of this.#parts.subscriptions.values()) if (this.#isReady(watched)) return true;
    return false;
  }

  /** Marks the types that a push may have changed. @returns whether the stream needs a push */
  notePush(notice: PushNotice): boolean {
    const { request } = notice;
    let isConcerned = false;
    for (const watched of this.#parts.subscriptions.values()) {
      const { provider } = watched;
      if (provider.isAffectedBy(notice)) {
        watched.want('ifChanged');
        isConcerned = true;
      } else if (this.#preparing === watched) {
        // The response that is being made belongs to an earlier snapshot. Look again when it has been sent.
        watched.want('ifChanged');
      } else if (watched.pending === 'no') {
        watched.unaffected(provider.configVersion);
      }
    }
    if (isConcerned) {
      this.#changedSinceMs = Math.min(this.#changedSinceMs ?? request.startMs, request.startMs);
      this.#isFullPush ||= request.full;
    }
    return isConcerned;
  }

  /** The provider of a type has other resources. */
  changed(typeUrl: string): void {
    const watched = this.#parts.subscriptions.get(typeUrl);
    if (watched === undefined) return;
    watched.want('ifChanged');
    this.#parts.enqueue();
  }

  /** Sends the responses that are pending and not held up. */
  push(): PushResult {
    const { metrics, clock } = this.#parts.environment;
    const startMs = clock.monotonicMs();
    const sinceMs = this.#changedSinceMs;
    const isFull = this.#isFullPush;
    this.#changedSinceMs = undefined;
    this.#isFullPush = false;
    this.#isInterrupted = false;
    if (sinceMs !== undefined) metrics.queued((startMs - sinceMs) / 1000);
    const writes = new PendingWrites();
    let bytes = 0;
    let isTimeUp = false;
    for (const watched of this.#inOrder()) {
      if (!this.#hasWork(watched)) continue;
      const outcome = isTimeUp ? INTERRUPTED : this.#respond(watched, writes);
      if (outcome.is === 'interrupted') {
        // The next push sends it, and the types after it.
        this.#changedSinceMs = sinceMs;
        this.#isFullPush = isFull;
        this.#isInterrupted = true;
        if (!this.isPreparing) this.#parts.enqueue();
        break;
      }
      isTimeUp = clock.monotonicMs() - startMs >= TURN_MS;
      if (outcome.is === 'sent') bytes += outcome.bytes;
    }
    if (sinceMs !== undefined && haveWaitingUsers(this.#parts.subscriptions)) {
      // The change has arrived when the types that wait for clusters are sent too.
      this.#changedSinceMs = sinceMs;
      this.#isFullPush = isFull;
    }
    this.#answers.start();
    if (bytes === 0) return { bytes, writes: undefined };
    if (isFull && sinceMs !== undefined) {
      writes.whenDone(() => {
        if (this.#changedSinceMs === undefined) metrics.converged((clock.monotonicMs() - sinceMs) / 1000);
      });
    }
    return { bytes, writes };
  }

  stop(): void {
    this.#answers.stop();
  }

  /** A response that was made since the last push goes out before others are made: it is older than they. */
  #inOrder(): readonly WatchedResource[] {
    const { subscriptions, protocol } = this.#parts;
    const ordered = subscriptions.inPushOrder(protocol.lastOfPush);
    const prepared = this.#prepared;
    if (prepared === undefined) return ordered;
    const { watched, subscription, pending } = prepared;
    if (subscription === watched.subscription) return [watched, ...ordered];
    // It is made again in its place: a newer one may need clusters that go out before it.
    this.#prepared = undefined;
    watched.want(pending);
    return ordered;
  }

  #hasWork(watched: WatchedResource): boolean {
    return this.isPreparing || this.#prepared?.watched === watched || this.#isReady(watched);
  }

  /** Sends the pending response of a type, or begins to make it. If that fails, only this response stays pending. */
  #respond(watched: WatchedResource, writes: PendingWrites): Outcome {
    if (this.#preparing !== undefined) return INTERRUPTED;
    let prepared = this.#takePrepared(watched);
    if (prepared === undefined) {
      if (!this.#isReady(watched)) return NOTHING;
      this.#prepare(watched);
      // The preparation sets it, and unsets it at once if the first slice is enough.
      if (this.isPreparing) return INTERRUPTED;
      prepared = this.#takePrepared(watched);
    }
    if (prepared === undefined) return NOTHING;
    if (prepared.next !== undefined) return this.#send(watched, prepared.next, writes);
    if (watched.pending === 'no' && !watched.isUnanswered && watched.rejected === undefined) {
      this.#parts.onUpToDate(watched);
    }
    return NOTHING;
  }

  #takePrepared(watched: WatchedResource): Prepared | undefined {
    const prepared = this.#prepared;
    if (prepared?.watched !== watched) return undefined;
    this.#prepared = undefined;
    if (prepared.subscription === watched.subscription) return prepared;
    watched.want(prepared.pending);
    return undefined;
  }

  #prepare(watched: WatchedResource): void {
    const { environment, owner, enqueue } = this.#parts;
    this.#startMs = environment.clock.monotonicMs();
    this.#preparing = watched;
    void environment.runner.run(owner, this.#preparation(watched), watched.provider.isOrdered)?.then(enqueue);
  }

  *#preparation(watched: WatchedResource): Work<void> {
    const { environment, protocol, connectionId } = this.#parts;
    const { subscription } = watched;
    const pending = watched.begin();
    try {
      const steps = protocol.nextResponse(watched, pending);
      for (let step = steps.next(); ; step = steps.next()) {
        if (this.#parts.isEnded()) return;
        if (watched.subscription !== subscription) {
          watched.want(pending);
          return;
        }
        if (step.done === true) {
          this.#prepared = { watched, subscription, pending, next: step.value };
          return;
        }
        yield;
      }
    } catch (err) {
      watched.want(pending);
      environment.metrics.internalError();
      const type = shortTypeName(watched.provider.typeUrl);
      environment.logger.error({ connection: connectionId(), type, err }, 'response could not be made');
    } finally {
      this.#preparing = undefined;
    }
  }

  #send(watched: WatchedResource, next: NextResponse, writes: PendingWrites): Outcome {
    const { response, set, configVersion } = next;
    const { environment, subscriptions, send, onUnacknowledged } = this.#parts;
    const { metrics, clock } = environment;
    const { nonce, version, message } = response;
    const { typeUrl } = watched.provider;
    const { isOverdue, mayHaveOthers } = watched;
    const hadResponse = watched.sent !== undefined || mayHaveOthers;
    const before = mayHaveOthers ? undefined : watched.sent;
    const type = shortTypeName(typeUrl);
    if (isOverdue) onUnacknowledged(type);
    const { diffs } = watched.provider;
    const isCluster = typeUrl === TypeUrl.cluster;
    const changes = isCluster ? (next.changes ?? (hadResponse ? diffs.diff(before, set) : undefined)) : undefined;
    const hasNew = changes?.changed.some(({ name }) => before === undefined || !hasResource(before, name)) ?? false;
    watched.respond(set, { nonce, version, at: clock.now() }, configVersion, hasNew);
    next.onSent?.();
    writes.begin();
    send(type, message, () => {
      this.#written(watched);
      writes.end();
    });
    metrics.pushed(type, (clock.monotonicMs() - this.#startMs) / 1000);
    if (changes !== undefined && changes.changed.length > 0) subscriptions.warm(changes, diffs.join);
    return { is: 'sent', bytes: message.byteLength };
  }

  #written(watched: WatchedResource): void {
    watched.outstanding.written(this.#parts.environment.clock.monotonicMs());
    if (this.#parts.isEnded()) return;
    if (this.#isReady(watched)) this.#parts.enqueue();
    else this.#answers.start();
  }

  #isReady(watched: WatchedResource): boolean {
    const { subscriptions, protocol } = this.#parts;
    if (!watched.isReady || protocol.waits?.(watched) === true) return false;
    return !waitsForClusters(watched, subscriptions) && !waitsForTables(watched, subscriptions);
  }
}
