import { shortTypeName, TypeUrl } from '../../src/envoy/type-urls.js';
import { forEachDeltaResource, readDeltaHead } from '../wire/delta-response.js';
import { readEndpointNames, readRouteNames } from '../wire/resource-names.js';
import { DeltaSubscription } from './delta-subscription.js';
import type { Expectation } from './expectation.js';
import type { RecordedMessage } from './recording.js';
import type { SidecarClient, SidecarOutputs } from './sidecar.js';

/** Endpoint assignments that a client lacks when it reconnects. */
const FORGOTTEN_ON_RECONNECT = 1;

/**
 * An Envoy sidecar on its delta ADS stream, as a state machine without I/O. It requests clusters, their assignments,
 * listeners and their route tables, in this order, and acknowledges every response. It subscribes to the names that
 * clusters and listeners add, and drops those of clusters that are removed.
 */
export class DeltaSidecar implements SidecarClient {
  readonly #node: Buffer;
  readonly #outputs: SidecarOutputs;
  readonly #clusters = new DeltaSubscription(TypeUrl.cluster);
  readonly #endpoints = new DeltaSubscription(TypeUrl.endpoint);
  readonly #listeners = new DeltaSubscription(TypeUrl.listener);
  readonly #routes = new DeltaSubscription(TypeUrl.route);
  readonly #subscriptions = [this.#clusters, this.#endpoints, this.#listeners, this.#routes];
  #expectation: Expectation | undefined;
  #missingMarkers: { readonly typeUrl: string; readonly text: string; readonly bytes: Buffer }[] = [];
  #recorded: RecordedMessage[] = [];

  constructor(node: Buffer, outputs: SidecarOutputs) {
    this.#node = node;
    this.#outputs = outputs;
  }

  beginPhase(expectation: Expectation): void {
    this.#expectation = expectation;
    const markers = expectation.kind === 'change' ? expectation.markers : [];
    this.#missingMarkers = markers.map((marker) => ({ ...marker, bytes: Buffer.from(marker.text) }));
    this.#recorded = [];
    for (const subscription of this.#subscriptions) subscription.beginPhase();
  }

  get recorded(): readonly RecordedMessage[] {
    return this.#recorded;
  }

  start(): void {
    this.#outputs.send(this.#clusters.buildWildcard(this.#node));
  }

  /** Requests everything on a new stream, with the versions of what it has: all but one endpoint assignment. */
  resume(): void {
    this.#outputs.send(this.#clusters.resume(0, this.#node));
    for (const each of [this.#endpoints, this.#listeners, this.#routes]) {
      if (each.isRequested) this.#outputs.send(each.resume(each === this.#endpoints ? FORGOTTEN_ON_RECONNECT : 0));
    }
  }

  receive(message: Buffer): void {
    const head = readDeltaHead(message);
    const subscription = this.#subscriptions.find(({ typeUrl }) => typeUrl === head.typeUrl);
    if (subscription === undefined || !subscription.isRequested) {
      throw new RangeError(`The server sent a response of type "${head.typeUrl}", which was not asked for.`);
    }
    const { typeUrl, requestsInPhase: afterRequests, messagesInPhase: ordinal } = subscription;
    if (this.#expectation?.kind !== 'churn') {
      this.#recorded.push({ typeUrl, afterRequests, sizeBytes: message.length });
      this.#outputs.received({ typeUrl, ordinal, bytes: message });
    }
    subscription.accept(head);
    this.#outputs.send(subscription.buildAcknowledgement(head.nonce));
    this.#follow(subscription, message, head.removed);
    this.#checkExpectation(typeUrl, message);
  }

  describeWaiting(): string {
    if (this.#missingMarkers.length > 0) {
      return this.#missingMarkers.map(({ typeUrl, text }) => `"${text}" in ${shortTypeName(typeUrl)}`).join(', ');
    }
    return this.#subscriptions
      .filter((subscription) => !subscription.isComplete)
      .map((subscription) => `${shortTypeName(subscription.typeUrl)} (${subscription.describeProgress()})`)
      .join(', ');
  }

  /** Requests the resources that a response refers to. */
  #follow(subscription: DeltaSubscription, message: Buffer, removed: readonly string[]): void {
    if (subscription === this.#clusters) {
      this.#sendIfAny(this.#endpoints.subscribe(readEndpointNames(message, forEachDeltaResource)));
      // An assignment has the name of its cluster.
      this.#sendIfAny(this.#endpoints.unsubscribe(removed));
      if (!this.#endpoints.isRequested) this.#requestListeners();
    } else if (subscription === this.#endpoints) {
      // As Envoy: listeners come when the cluster manager has finished its start.
      if (this.#endpoints.isComplete) this.#requestListeners();
    } else if (subscription === this.#listeners) {
      this.#sendIfAny(this.#routes.subscribe(readRouteNames(message, forEachDeltaResource)));
    }
  }

  #requestListeners(): void {
    if (!this.#listeners.isRequested) this.#outputs.send(this.#listeners.buildWildcard());
  }

  #sendIfAny(request: Buffer | undefined): void {
    if (request !== undefined) this.#outputs.send(request);
  }

  #checkExpectation(typeUrl: string, message: Buffer): void {
    const expectation = this.#expectation;
    if (expectation === undefined || expectation.kind === 'churn') return;
    if (expectation.kind === 'change') {
      this.#missingMarkers = this.#missingMarkers.filter(
        (marker) => marker.typeUrl !== typeUrl || !message.includes(marker.bytes),
      );
    }
    const met = expectation.kind === 'sync' ? this.#isSynced() : this.#missingMarkers.length === 0;
    if (!met) return;
    this.#expectation = undefined;
    this.#outputs.completed();
  }

  #isSynced(): boolean {
    return this.#subscriptions.every((subscription) => !subscription.isRequested || subscription.isComplete);
  }
}
