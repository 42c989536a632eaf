import type { Clock } from '../base/clock.js';
import { mergePushRequests, type PushRequest } from '../model/push-request.js';

export interface DebounceSettings extends PendingTimes {
  /** NAV_ENABLE_EDS_DEBOUNCE: if false, changes of endpoints alone are pushed at once. */
  readonly debounceEndpoints: boolean;
}

export interface Debouncer {
  submit(request: PushRequest): void;
  /** Drops the changes that wait. */
  stop(): void;
}

/**
 * Merges changes until no more follow (docs/reference/xds.md#debounce). The next push starts after `push` has returned.
 */
export function createDebouncer(
  settings: DebounceSettings,
  clock: Clock,
  push: (request: PushRequest) => void,
): Debouncer {
  const pending = createPendingPushes(settings);
  let cancel: (() => void) | undefined;

  const arm = (): void => {
    const dueMs = pending.dueMs();
    cancel = dueMs === undefined ? undefined : clock.schedule(Math.max(0, dueMs - clock.monotonicMs()), fire);
  };

  const fire = (): void => {
    cancel = undefined;
    const request = pending.take(clock.monotonicMs());
    arm();
    if (request !== undefined) push(request);
  };

  return {
    submit: (request) => {
      if (!settings.debounceEndpoints && !request.full) {
        push(request);
        return;
      }
      pending.add(request, clock.monotonicMs());
      // A running timer checks for later changes when it fires, so no change needs a timer of its own.
      if (cancel === undefined) arm();
    },
    stop: () => {
      cancel?.();
      cancel = undefined;
      pending.clear();
    },
  };
}

export interface PendingTimes {
  /** NAV_DEBOUNCE_AFTER: a change waits until no other change has followed it for this time. */
  readonly afterMs: number;
  /** NAV_DEBOUNCE_MAX: a change waits no longer than this time. */
  readonly maxMs: number;
}

/** Changes that wait for their push. */
export interface PendingPushes {
  add(request: PushRequest, nowMs: number): void;
  /** Time of the next push at the latest; undefined if no change waits. A later change never makes it earlier. */
  dueMs(): number | undefined;
  /** Takes the changes that are due, merged into one request; undefined if none is due. */
  take(nowMs: number): PushRequest | undefined;
  clear(): void;
}

/** Changes that wait for the same pause. */
interface Pending {
  request: PushRequest;
  readonly firstMs: number;
  lastMs: number;
  /** Whether it is more than one change. */
  isRepeated: boolean;
}

/**
 * Merges changes that follow each other. Full changes wait for each other. Changes of endpoints alone wait only for
 * changes of the same hosts: in a large mesh some endpoint changes all the time, and the wait would never end. When a
 * host is due, all hosts that changed only once go with it. So there is at most one push of endpoints in `afterMs`, and
 * no host waits longer because of another one.
 */
export function createPendingPushes({ afterMs, maxMs }: PendingTimes): PendingPushes {
  /** In the order of their first change. */
  const pending = new Set<Pending>();
  /** Changes of endpoints alone, by their hosts. */
  const byHost = new Map<string, Pending>();
  let full: Pending | undefined;

  const dueOf = ({ firstMs, lastMs }: Pending): number => Math.min(lastMs + afterMs, firstMs + maxMs);

  const remove = (item: Pending): void => {
    pending.delete(item);
    if (item === full) full = undefined;
    else for (const host of item.request.endpoints) byHost.delete(host);
  };

  /** Finds the changes that wait for the same pause, and joins them. */
  const findSame = ({ full: isFull, endpoints }: PushRequest): Pending | undefined => {
    if (isFull) return full;
    let found: Pending | undefined;
    for (const host of endpoints) {
      const other = byHost.get(host);
      if (other === undefined || other === found) continue;
      if (found === undefined) found = other;
      else {
        const [older, newer] = found.firstMs <= other.firstMs ? [found, other] : [other, found];
        remove(newer);
        join(older, newer.request, newer.lastMs);
        found = older;
      }
    }
    return found;
  };

  const join = (item: Pending, request: PushRequest, nowMs: number): void => {
    item.request = mergePushRequests(item.request, request);
    item.lastMs = Math.max(item.lastMs, nowMs);
    item.isRepeated = true;
    if (item !== full) for (const host of request.endpoints) byHost.set(host, item);
  };

  return {
    add: (request, nowMs) => {
      const same = findSame(request);
      if (same !== undefined) {
        join(same, request, nowMs);
        return;
      }
      const item: Pending = { request, firstMs: nowMs, lastMs: nowMs, isRepeated: false };
      pending.add(item);
      if (request.full) full = item;
      else for (const host of request.endpoints) byHost.set(host, item);
    },
    dueMs: () => {
      let due: number | undefined;
      for (const item of pending) due = Math.min(due ?? Number.POSITIVE_INFINITY, dueOf(item));
      return due;
    },
    take: (nowMs) => {
      const due = [...pending].filter((item) => dueOf(item) <= nowMs);
      if (due.length === 0) return undefined;
      const isFullDue = full !== undefined && due.includes(full);
      // A full push sends all types to all proxies, and its snapshot has the other waiting changes.
      const goes = (item: Pending): boolean =>
        isFullDue || (item !== full && (!item.isRepeated || dueOf(item) <= nowMs));
      const taken = [...pending].filter(goes);
      for (const item of taken) remove(item);
      return taken.map(({ request }) => request).reduce(mergePushRequests);
    },
    clear: () => {
      pending.clear();
      byHost.clear();
      full = undefined;
    },
  };
}
