import type { Clock } from '../../base/clock.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { USERS } from '../cluster-users.js';
import { LimitedWait } from './limited-wait.js';

/** One subscription of a proxy that polls, as its node sees it. */
export interface RestSubscription {
  readonly typeUrl: string;
  /** The proxy has not taken any response yet. */
  readonly isNew: boolean;
  /** A response is due, or the proxy has not answered the newest one. */
  readonly isChanging: boolean;
  /** A response is due, or the proxy has not answered one with resources that are new to it. */
  readonly isAddingResources: boolean;
  /** Sends what is pending. */
  proceed(): void;
  /** Looks again at what the proxy should have. */
  changed(): void;
}

/**
 * A proxy has one subscription to clusters. Of others of its node, with other names, the newest count: each poll looks at
 * all that count.
 */
const MAX_CLUSTER_SUBSCRIPTIONS = 16;

/**
 * The subscriptions of one proxy that polls. Its polls arrive independently of each other, so the node gives them the
 * order that a stream has: first new clusters and their endpoints, then the listeners and routes that use them, last the
 * removal of old clusters (docs/reference/xds.md#rest). Each wait ends after `limitMs`, answered or not.
 */
export class RestNode {
  readonly #clusters = new Set<RestSubscription>();
  readonly #users = new Set<RestSubscription>();
  readonly #newEndpoints = new Set<RestSubscription>();
  /** Listeners and routes that wait for clusters. */
  readonly #waiting = new Set<RestSubscription>();
  /** Subscriptions to clusters that keep old ones. */
  readonly #keepers = new Set<RestSubscription>();
  /** The listeners or routes that were found to be changing last. */
  #changing: RestSubscription | undefined;
  /**
   * Where the search for them goes on: thousands of answers, of which each asks who is still changing, do not search all
   * from the start.
   */
  #search = this.#users.values();
  readonly #usersWait: LimitedWait;
  readonly #removalWait: LimitedWait;
  #size = 0;

  /** @param limitMs NAV_XDS_ACK_TIMEOUT; 0 means no limit */
  constructor(clock: Clock, limitMs: number) {
    this.#usersWait = new LimitedWait(clock, limitMs, () => this.#release());
    this.#removalWait = new LimitedWait(clock, limitMs, () => this.#removeOldClusters());
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Whether listeners or routes of the proxy may still name clusters that are to leave a subscription. */
  usesOldClusters(clusters: RestSubscription): boolean {
    return this.#clusters.has(clusters) && this.#usesOldClusters();
  }

  enter(subscription: RestSubscription): void {
    this.#size++;
    if (subscription.typeUrl === TypeUrl.cluster) {
      this.#clusters.add(subscription);
      const [oldest] = this.#clusters;
      if (oldest !== undefined && this.#clusters.size > MAX_CLUSTER_SUBSCRIPTIONS) this.#clusters.delete(oldest);
    } else if (USERS.includes(subscription.typeUrl)) this.#users.add(subscription);
  }

  leave(subscription: RestSubscription): void {
    this.#size--;
    for (const set of [this.#clusters, this.#users, this.#newEndpoints, this.#waiting, this.#keepers]) {
      set.delete(subscription);
    }
    if (this.#changing === subscription) this.#changing = undefined;
    this.#look();
  }

  /** Whether a subscription waits for clusters. If so, it proceeds when these are in use. */
  mustWait(subscription: RestSubscription): boolean {
    if (!this.#users.has(subscription) || !this.#usersMustWait()) return false;
    this.#waiting.add(subscription);
    return true;
  }

  /** @param keepsOld whether the clusters of the proxy include some that are to leave */
  keepsOldClusters(subscription: RestSubscription, keepsOld: boolean): void {
    if (keepsOld) this.#keepers.add(subscription);
    else this.#keepers.delete(subscription);
  }

  /** The proxy has polled a subscription, or has the resources of it that it should have. */
  answered(subscription: RestSubscription): void {
    if (subscription.typeUrl === TypeUrl.endpoint) {
      if (subscription.isNew) this.#newEndpoints.add(subscription);
      else if (!this.#newEndpoints.delete(subscription)) return;
    }
    this.#look();
  }

  /** A proxy may have thousands of subscriptions, so these are looked at only while one of them waits. */
  #look(): void {
    if ((this.#waiting.size > 0 || this.#usersWait.isBegun) && !this.#usersMustWait()) this.#release();
    if ((this.#keepers.size > 0 || this.#removalWait.isBegun) && !this.#usesOldClusters()) this.#removeOldClusters();
  }

  #usersMustWait(): boolean {
    const isAdding = this.#newEndpoints.size > 0 || [...this.#clusters].some((each) => each.isAddingResources);
    return this.#usersWait.check(isAdding && this.#users.size > 0);
  }

  #usesOldClusters(): boolean {
    if (this.#changing?.isChanging !== true) this.#changing = this.#findChanging();
    return this.#removalWait.check(this.#changing !== undefined);
  }

  #findChanging(): RestSubscription | undefined {
    for (const each of this.#search) if (each.isChanging) return each;
    this.#search = this.#users.values();
    for (const each of this.#search) if (each.isChanging) return each;
    return undefined;
  }

  #release(): void {
    const released = [...this.#waiting];
    this.#waiting.clear();
    for (const subscription of released) subscription.proceed();
  }

  #removeOldClusters(): void {
    const keepers = [...this.#keepers];
    this.#keepers.clear();
    for (const subscription of keepers) subscription.changed();
  }
}
