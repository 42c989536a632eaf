import { MAX_TIMER_MS } from '../base/clock.js';
import { TypeUrl } from '../envoy/type-urls.js';
import { haveWaitingUsers } from './cluster-users.js';
import type { SessionEnvironment } from './session-environment.js';
import type { Subscriptions } from './subscriptions.js';
import type { WatchedResource } from './watched-resource.js';

/** Lets responses of one stream that are held up by a missing answer go out in time (NAV_XDS_ACK_TIMEOUT). */
export class AnswerTimer {
  readonly #environment: Pick<SessionEnvironment, 'clock' | 'limits'>;
  readonly #subscriptions: Subscriptions;
  readonly #onDue: () => void;
  /** Cancels the timer of the answer that is due first. */
  #cancel: (() => void) | undefined;

  /** @param onDue called when responses no longer wait for an answer */
  constructor(
    environment: Pick<SessionEnvironment, 'clock' | 'limits'>,
    subscriptions: Subscriptions,
    onDue: () => void,
  ) {
    this.#environment = environment;
    this.#subscriptions = subscriptions;
    this.#onDue = onDue;
  }

  /** Starts the timer, unless it runs or no answer holds up a response. */
  start(): void {
    const { clock, limits } = this.#environment;
    if (limits.ackMs === 0 || this.#cancel !== undefined || !this.#isAnyPending()) return;
    let sinceMs: number | undefined;
    for (const watched of this.#subscriptions.values()) {
      const heldUpSinceMs = this.#heldUpSinceMs(watched);
      if (heldUpSinceMs !== undefined) sinceMs = Math.min(sinceMs ?? heldUpSinceMs, heldUpSinceMs);
    }
    if (sinceMs === undefined) return;
    const delayMs = Math.max(0, sinceMs + limits.ackMs - clock.monotonicMs());
    // The timer that follows it waits for the rest.
    this.#cancel = clock.schedule(Math.min(delayMs, MAX_TIMER_MS), () => this.#stopWaiting());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #stopWaiting(): void {
    const { clock, limits } = this.#environment;
    this.#cancel = undefined;
    const dueSinceMs = clock.monotonicMs() - limits.ackMs;
    for (const watched of this.#subscriptions.values()) {
      const heldUpSinceMs = this.#heldUpSinceMs(watched);
      if (heldUpSinceMs !== undefined && heldUpSinceMs <= dueSinceMs) watched.outstanding.stopWaiting();
    }
    this.#onDue();
    this.start();
  }

  /** Only a pending response can be held up. */
  #isAnyPending(): boolean {
    for (const { pending } of this.#subscriptions.values()) if (pending !== 'no') return true;
    return false;
  }

  /** When the proxy got the response whose answer holds up the next one, or one of another type. */
  #heldUpSinceMs({ pending, provider, outstanding }: WatchedResource): number | undefined {
    if (pending !== 'no') return outstanding.unansweredSinceMs;
    if (provider.typeUrl !== TypeUrl.cluster) return undefined;
    return haveWaitingUsers(this.#subscriptions) ? outstanding.unansweredSinceMs : undefined;
  }
}
