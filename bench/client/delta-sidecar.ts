import { TypeUrl } from '../../src/envoy/type-urls.js';
import { forEachDeltaResource, readDeltaHead } from '../wire/delta-response.js';
import { asksForVirtualHosts, readEndpointNames, readRouteNames } from '../wire/resource-names.js';
import { VersionEntries } from '../wire/version-entries.js';
import { DeltaSubscription } from './delta-subscription.js';
import type { ClientExpectation } from './expectation.js';
import { PhaseProgress } from './phase-progress.js';
import type { RecordedMessage } from './recording.js';
import type { SidecarClient, SidecarOutputs } from './sidecar.js';

/** Endpoint assignments that a client lacks when it reconnects. */
const FORGOTTEN_ON_RECONNECT = 1;

/**
 * An Envoy sidecar on its delta ADS stream, as a state machine without I/O. It requests clusters, their assignments,
 * listeners, their route tables and the virtual hosts of these, in this order, and acknowledges every response. It
 * subscribes to the names that clusters and listeners add, and drops those of clusters that are removed.
 */
export class DeltaSidecar implements SidecarClient {
  readonly #node: Buffer;
  readonly #outputs: SidecarOutputs;
  readonly #clusters: DeltaSubscription;
  readonly #endpoints: DeltaSubscription;
  readonly #listeners: DeltaSubscription;
  readonly #routes: DeltaSubscription;
  readonly #virtualHosts: DeltaSubscription;
  /** In the order of their first requests. */
  readonly #all: readonly DeltaSubscription[];
  readonly #progress: PhaseProgress<DeltaSubscription>;

  /** @param entries the resources that clients share */
  constructor(node: Buffer, outputs: SidecarOutputs, entries = new VersionEntries()) {
    this.#node = node;
    this.#outputs = outputs;
    this.#clusters = new DeltaSubscription(TypeUrl.cluster, entries);
    this.#endpoints = new DeltaSubscription(TypeUrl.endpoint, entries);
    this.#listeners = new DeltaSubscription(TypeUrl.listener, entries);
    this.#routes = new DeltaSubscription(TypeUrl.route, entries);
    this.#virtualHosts = new DeltaSubscription(TypeUrl.virtualHost, entries);
    this.#all = [this.#clusters, this.#endpoints, this.#listeners, this.#routes, this.#virtualHosts];
    this.#progress = new PhaseProgress(this.#all, outputs, () => this.#isSynced());
  }

  beginPhase(expectation: ClientExpectation): void {
    this.#progress.begin(expectation);
  }

  get recorded(): readonly RecordedMessage[] {
    return this.#progress.recorded;
  }

  start(): void {
    this.#outputs.send(this.#clusters.buildWildcard(this.#node));
  }

  /**
   * Requests everything on a new stream, with the versions of what it has: all but one endpoint assignment.
   *
   * @param order each number is another order of the versions
   */
  resume(order: number): void {
    for (const each of this.#all) {
      const forgotten = each === this.#endpoints ? FORGOTTEN_ON_RECONNECT : 0;
      if (each.isRequested) {
        this.#outputs.send(each.resume(forgotten, order, each === this.#clusters ? this.#node : undefined));
      }
    }
  }

  receive(message: Buffer): void {
    const head = readDeltaHead(message);
    const subscription = this.#progress.record(head.typeUrl, message);
    subscription.accept(head);
    this.#outputs.send(subscription.buildAcknowledgement(head.nonce));
    this.#follow(subscription, message, head.removed);
    this.#progress.check(subscription.typeUrl, message);
  }

  describeWaiting(): string {
    return this.#progress.describeWaiting();
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
    } else if (subscription === this.#routes) {
      // As Envoy: one request without names, which stands for the virtual hosts of all tables.
      if (!this.#virtualHosts.isRequested && asksForVirtualHosts(message, forEachDeltaResource)) {
        this.#outputs.send(this.#virtualHosts.buildWildcard());
      }
    }
  }

  #requestListeners(): void {
    if (!this.#listeners.isRequested) this.#outputs.send(this.#listeners.buildWildcard());
  }

  #sendIfAny(request: Buffer | undefined): void {
    if (request !== undefined) this.#outputs.send(request);
  }

  #isSynced(): boolean {
    return this.#all.every((subscription) => !subscription.isRequested || subscription.isComplete);
  }
}
