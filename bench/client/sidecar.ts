import { TypeUrl } from '../../src/envoy/type-urls.js';
import { readResponseHead } from '../wire/discovery-response.js';
import { readEndpointNames, readRouteNames } from '../wire/resource-names.js';
import type { ClientExpectation } from './expectation.js';
import { PhaseProgress } from './phase-progress.js';
import type { MessageTemplate, RecordedMessage } from './recording.js';
import { Subscription } from './subscription.js';

export interface SidecarOutputs {
  send(request: Buffer): void;
  /** The phase's expectation is met; called once per phase. */
  completed(): void;
  received(template: MessageTemplate): void;
}

/** A sidecar as its stream and its group see it. */
export interface SidecarClient {
  /** Clears the records of the last phase and waits for the new expectation. */
  beginPhase(expectation: ClientExpectation): void;
  /** Messages since the start of the phase. */
  readonly recorded: readonly RecordedMessage[];
  /** Sends the first request. */
  start(): void;
  /**
   * Sends the first requests of another stream, with what it has; only delta can.
   *
   * @param order each number is another order of what it has
   */
  resume?(order: number): void;
  /** Handles one response. Throws RangeError when it is not one, or of a type that was not asked for. */
  receive(message: Buffer): void;
  /** Missing resources of this client, for the error of a timeout. */
  describeWaiting(): string;
}

/**
 * An Envoy sidecar on its ADS stream, as a state machine without I/O. It requests clusters, their assignments,
 * listeners and their route tables, in this order, and acknowledges every response. If the names in clusters or
 * listeners change, it sends a request with the full new list.
 */
export class Sidecar implements SidecarClient {
  readonly #node: Buffer;
  readonly #outputs: SidecarOutputs;
  readonly #clusters = new Subscription(TypeUrl.cluster);
  readonly #endpoints = new Subscription(TypeUrl.endpoint);
  readonly #listeners = new Subscription(TypeUrl.listener);
  readonly #routes = new Subscription(TypeUrl.route);
  readonly #progress: PhaseProgress<Subscription>;

  constructor(node: Buffer, outputs: SidecarOutputs) {
    this.#node = node;
    this.#outputs = outputs;
    const subscriptions = [this.#clusters, this.#endpoints, this.#listeners, this.#routes];
    this.#progress = new PhaseProgress(subscriptions, outputs, () => this.#isSynced());
  }

  /** Clears the records of the last phase and waits for the new expectation. */
  beginPhase(expectation: ClientExpectation): void {
    this.#progress.begin(expectation);
  }

  /** Messages since the start of the phase. */
  get recorded(): readonly RecordedMessage[] {
    return this.#progress.recorded;
  }

  /** Sends the first request. */
  start(): void {
    this.#outputs.send(this.#clusters.buildRequest(this.#node));
  }

  /** Handles one response. Throws RangeError when it is not one, or of a type that was not asked for. */
  receive(message: Buffer): void {
    const head = readResponseHead(message);
    const subscription = this.#progress.record(head.typeUrl, message);
    subscription.accept(head, message);
    this.#request(subscription);
    this.#follow(subscription, message);
    this.#progress.check(subscription.typeUrl, message);
  }

  /** Missing resources of this client, for the error of a timeout. */
  describeWaiting(): string {
    return this.#progress.describeWaiting();
  }

  #request(subscription: Subscription): void {
    this.#outputs.send(subscription.buildRequest());
  }

  /** Requests the resources that a response refers to. */
  #follow(subscription: Subscription, message: Buffer): void {
    if (subscription === this.#clusters) {
      const names = readEndpointNames(message);
      // A first request without names would be a wildcard subscription, which Envoy does not send here.
      const wanted = names.length > 0 || this.#endpoints.isRequested;
      if (wanted && this.#endpoints.setNames(names)) this.#request(this.#endpoints);
      if (!wanted && !this.#listeners.isRequested) this.#request(this.#listeners);
    } else if (subscription === this.#endpoints) {
      // As Envoy: listeners come when the cluster manager has finished its start.
      if (this.#endpoints.isComplete && !this.#listeners.isRequested) this.#request(this.#listeners);
    } else if (subscription === this.#listeners) {
      const names = readRouteNames(message);
      const wanted = names.length > 0 || this.#routes.isRequested;
      if (wanted && this.#routes.setNames(names)) this.#request(this.#routes);
    }
  }

  #isSynced(): boolean {
    const needsEndpoints = this.#endpoints.isRequested;
    const needsRoutes = this.#routes.isRequested;
    return (
      this.#clusters.isComplete &&
      (!needsEndpoints || this.#endpoints.isComplete) &&
      this.#listeners.isComplete &&
      (!needsRoutes || this.#routes.isComplete)
    );
  }
}
