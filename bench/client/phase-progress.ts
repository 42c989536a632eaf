import { shortTypeName, TypeUrl } from '../../src/envoy/type-urls.js';
import type { ClientExpectation } from './expectation.js';
import type { RecordedMessage } from './recording.js';
import type { SidecarOutputs } from './sidecar.js';

/** A subscription, as the progress of a phase reads it. */
interface WatchedSubscription {
  readonly typeUrl: string;
  readonly isRequested: boolean;
  readonly isComplete: boolean;
  readonly requestsInPhase: number;
  readonly messagesInPhase: number;
  beginPhase(): void;
  describeProgress(): string;
}

/** What one client received in a phase, and whether that is what the phase waits for. */
export class PhaseProgress<Watched extends WatchedSubscription> {
  readonly #subscriptions: readonly Watched[];
  readonly #outputs: SidecarOutputs;
  readonly #isSynced: () => boolean;
  #expectation: ClientExpectation | undefined;
  #missingMarkers: { readonly typeUrl: string; readonly text: string; readonly bytes: Buffer }[] = [];
  #recorded: RecordedMessage[] = [];

  /** @param isSynced whether the client has everything that it asked for */
  constructor(subscriptions: readonly Watched[], outputs: SidecarOutputs, isSynced: () => boolean) {
    this.#subscriptions = subscriptions;
    this.#outputs = outputs;
    this.#isSynced = isSynced;
  }

  /** Messages since the start of the phase. */
  get recorded(): readonly RecordedMessage[] {
    return this.#recorded;
  }

  begin(expectation: ClientExpectation): void {
    this.#expectation = expectation;
    const markers = expectation.kind === 'change' ? expectation.markers : [];
    this.#missingMarkers = markers.map((marker) => ({ ...marker, bytes: Buffer.from(marker.text) }));
    this.#recorded = [];
    for (const subscription of this.#subscriptions) subscription.beginPhase();
  }

  /**
   * Records a response before the client answers it.
   *
   * @returns the subscription that it belongs to
   * @throws RangeError if the client did not ask for the type
   */
  record(wanted: string, message: Buffer): Watched {
    const subscription = this.#subscriptions.find(({ typeUrl }) => typeUrl === wanted);
    if (subscription === undefined || !subscription.isRequested) {
      throw new RangeError(`The server sent a response of type "${wanted}", which was not asked for.`);
    }
    const { typeUrl, requestsInPhase: afterRequests, messagesInPhase: ordinal } = subscription;
    if (this.#expectation?.kind !== 'churn') {
      this.#recorded.push({ typeUrl, afterRequests, sizeBytes: message.length });
      this.#outputs.received({ typeUrl, ordinal, bytes: message });
    }
    return subscription;
  }

  /** Tells the outputs, once in a phase, when the expectation is met. To be called after each response. */
  check(typeUrl: string, message: Buffer): void {
    const expectation = this.#expectation;
    if (expectation === undefined || expectation.kind === 'churn' || expectation.kind === 'nothing') return;
    if (expectation.kind === 'change') {
      this.#missingMarkers = this.#missingMarkers.filter(
        (marker) => !isIn(marker.typeUrl, typeUrl) || !message.includes(marker.bytes),
      );
    }
    const met = expectation.kind === 'sync' ? this.#isSynced() : this.#missingMarkers.length === 0;
    if (!met) return;
    this.#expectation = undefined;
    this.#outputs.completed();
  }

  /** Missing resources, for the error of a timeout. */
  describeWaiting(): string {
    if (this.#missingMarkers.length > 0) {
      return this.#missingMarkers.map(({ typeUrl, text }) => `"${text}" in ${shortTypeName(typeUrl)}`).join(', ');
    }
    return this.#subscriptions
      .filter((subscription) => !subscription.isComplete)
      .map((subscription) => `${shortTypeName(subscription.typeUrl)} (${subscription.describeProgress()})`)
      .join(', ');
  }
}

/** Whether a response can have what a marker of a type stands for: routes may come with virtual hosts one by one. */
function isIn(wanted: string, typeUrl: string): boolean {
  return wanted === typeUrl || (wanted === TypeUrl.route && typeUrl === TypeUrl.virtualHost);
}
