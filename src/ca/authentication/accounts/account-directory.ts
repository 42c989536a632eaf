import type { Clock } from '../../../base/clock.js';
import type { ListWatcher } from '../../../kubernetes/watch/list-watcher.js';
import type { WorkloadIdentity } from '../../../model/spiffe-id.js';
import { type AccountList, createAccountList } from './account-list.js';

/**
 * - `present`: a cluster has the account, and has answered within the limit.
 * - `gone`: every cluster answers, and none has the account.
 * - `unknown`: no answering cluster has the account, and at least one cluster does not answer.
 * - `stale`: the only cluster that had the account has not answered for longer than the limit.
 */
export type AccountVerdict = 'present' | 'gone' | 'unknown' | 'stale';

/** The service accounts that exist in all clusters that are read. */
export interface AccountDirectory {
  judge(identity: WorkloadIdentity): AccountVerdict;
  /** Settles when every cluster has been read once, or after FIRST_LIST_MS. */
  ready(): Promise<void>;
  /** Calls the listener once, when the account is gone. @returns a function that removes the listener. */
  onGone(identity: WorkloadIdentity, listener: () => void): () => void;
  /** Reads a cluster. It replaces an earlier cluster with the same id. The directory stops the watcher. */
  add(clusterId: string, watcher: ListWatcher): void;
  remove(clusterId: string): void;
  stop(): Promise<void>;
}

/** The longest time that callers wait for the first lists after a start. */
export const FIRST_LIST_MS = 5_000;

export interface AccountDirectoryOptions {
  /** NAV_ACCOUNT_OUTAGE_LIMIT: how long the last list of an unreachable API server stays valid. */
  readonly outageLimitMs: number;
  readonly clock: Clock;
}

export function createAccountDirectory({ outageLimitMs, clock }: AccountDirectoryOptions): AccountDirectory {
  const clusters = new Map<string, { readonly list: AccountList; readonly watcher: ListWatcher }>();
  const listeners = new Map<string, Set<() => void>>();
  const readers = new Set<() => void>();

  const lists = (): readonly AccountList[] => [...clusters.values()].map(({ list }) => list);
  const allRead = (): boolean => lists().every(({ isRead }) => isRead);

  const judge = (identity: WorkloadIdentity): AccountVerdict => {
    const key = keyOf(identity);
    const holding = lists().filter((list) => list.has(key));
    if (holding.some((list) => list.outageMs() <= outageLimitMs)) return 'present';
    if (holding.length > 0) return 'stale';
    return lists().every((list) => list.isRead && list.outageMs() === 0) ? 'gone' : 'unknown';
  };

  const tellRemoved = (keys: Iterable<string>): void => {
    for (const key of keys) {
      if (!listeners.has(key) || lists().some((list) => list.has(key))) continue;
      const told = listeners.get(key) ?? [];
      listeners.delete(key);
      for (const listener of told) listener();
    }
    if (!allRead()) return;
    for (const reader of readers) reader();
    readers.clear();
  };

  const remove = (clusterId: string): void => {
    const known = clusters.get(clusterId);
    clusters.delete(clusterId);
    void known?.watcher.stop();
  };

  return {
    judge,
    ready: async () => {
      if (allRead()) return;
      await new Promise<void>((resolve) => {
        const cancel = clock.schedule(FIRST_LIST_MS, () => {
          readers.delete(read);
          resolve();
        });
        const read = (): void => {
          cancel();
          resolve();
        };
        readers.add(read);
      });
    },
    onGone: (identity, listener) => {
      const key = keyOf(identity);
      const own = (): void => listener();
      const those = listeners.get(key) ?? new Set();
      listeners.set(key, those.add(own));
      return () => {
        those.delete(own);
        if (those.size === 0 && listeners.get(key) === those) listeners.delete(key);
      };
    },
    add: (clusterId, watcher) => {
      remove(clusterId);
      const list = createAccountList(clock, tellRemoved);
      clusters.set(clusterId, { list, watcher });
      watcher.watch(list.watched);
    },
    remove: (clusterId) => {
      remove(clusterId);
      tellRemoved([...listeners.keys()]);
    },
    stop: async () => {
      const watchers = [...clusters.values()].map(({ watcher }) => watcher);
      await Promise.all(watchers.map((watcher) => watcher.stop()));
    },
  };
}

function keyOf({ namespace, serviceAccount }: WorkloadIdentity): string {
  return `${namespace}/${serviceAccount}`;
}
