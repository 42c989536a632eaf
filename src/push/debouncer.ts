import type { Clock } from '../base/clock.js';
import { mergePushRequests, type PushRequest } from '../model/push-request.js';

export interface DebounceSettings extends PendingTimes {
  /** NAV_ENABLE_EDS_DEBOUNCE: when false, endpoint-only changes go out at once. */
  readonly debounceEndpoints: boolean;
}

export interface Debouncer {
  submit(request: PushRequest): void;
  /** Drops what is waiting. */
  stop(): void;
}

/**
 * Merges changes until they are quiet (docs/reference/xds.md#debounce). `push` runs to completion before the next one
 * can start, so a burst never overtakes itself.
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
      // A running timer checks for later changes when it fires: no timer is rebuilt per change.
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
  /** NAV_DEBOUNCE_AFTER: a change waits until nothing has followed it for this long. */
  readonly afterMs: number;
  /** NAV_DEBOUNCE_MAX: but never longer than this. */
  readonly maxMs: number;
}

/** Changes that wait for their push. */
export interface PendingPushes {
  add(request: PushRequest, nowMs: number): void;
  /** When there is something to push at the latest; undefined when nothing waits. A later change never makes it earlier. */
  dueMs(): number | undefined;
  /** What is to be pushed now, in one; undefined when nothing is due. */
  take(nowMs: number): PushRequest | undefined;
  clear(): void;
}

/** Changes that wait for the same quiet. */
interface Pending {
  request: PushRequest;
  readonly firstMs: number;
  lastMs: number;
  /** Whether it is more than one change. */
  isRepeated: boolean;
}

/**
 * Merges changes that follow each other. Full changes wait for each other. Changes of nothing but endpoints wait for
 * changes of the same hosts: in a large mesh some endpoint changes all the time, and quiet would never come. When one of
 * them is due, those of all hosts that are not changing over and over go with it, so that there is one push of endpoints
 * in `afterMs` at most, and none is later than that for what others do.
 */
export function createPendingPushes({ afterMs, maxMs }: PendingTimes): PendingPushes {
  /** In the order of their first change. */
  const pending = new Set<Pending>();
  /** Those without `full`, by their hosts. */
  const byHost = new Map<string, Pending>();
  let full: Pending | undefined;

  const dueOf = ({ firstMs, lastMs }: Pending): number => Math.min(lastMs + afterMs, firstMs + maxMs);

  const remove = (item: Pending): void => {
    pending.delete(item);
    if (item === full) full = undefined;
    else for (const host of item.request.endpoints) byHost.delete(host);
  };

  /** Whatever waits for the same quiet, as one. */
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
      // A full push brings everybody everything; what else waits is in its snapshot.
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
