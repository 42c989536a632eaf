import type { Clock } from '../../../base/clock.js';
import type { WatchedList } from '../../../kubernetes/watch/list-watcher.js';
import { rawKind } from '../../../kubernetes/watch/raw-kind.js';
import type { RawObject } from '../../../kubernetes/watch/raw-object.js';

/** The service accounts of one cluster, kept current by a watch. Only names are stored. */
export interface AccountList {
  /** The list to watch; its sink fills this object. */
  readonly watched: WatchedList;
  /** @param key `<namespace>/<name>` */
  has(key: string): boolean;
  /** False until the whole list has been read once. */
  readonly isRead: boolean;
  /** How long the watch has been failing, in milliseconds; 0 while it works. */
  outageMs(): number;
}

const SERVICE_ACCOUNT_KIND = rawKind({
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
});

/** @param onRemoved receives the keys of removed accounts, after `has` returns false for them */
export function createAccountList(clock: Clock, onRemoved: (keys: Iterable<string>) => void): AccountList {
  let accounts: Set<string> | undefined;
  let failingSinceMs: number | undefined;
  return {
    has: (key) => accounts?.has(key) ?? false,
    get isRead() {
      return accounts !== undefined;
    },
    outageMs: () => (failingSinceMs === undefined ? 0 : clock.monotonicMs() - failingSinceMs),
    watched: {
      definition: SERVICE_ACCOUNT_KIND,
      namespace: '',
      sink: {
        isEmpty: () => accounts === undefined || accounts.size === 0,
        replace: () => {
          const found = new Set<string>();
          return {
            add: (objects) => {
              for (const object of objects) found.add(keyOf(object));
            },
            commit: () => {
              const removed = [...(accounts ?? [])].filter((key) => !found.has(key));
              accounts = found;
              failingSinceMs = undefined;
              onRemoved(removed);
            },
          };
        },
        apply: (events) => {
          const removed = new Set<string>();
          for (const { type, object } of events) {
            const key = keyOf(object);
            if (type === 'DELETED') {
              accounts?.delete(key);
              removed.add(key);
            } else {
              accounts?.add(key);
              removed.delete(key);
            }
          }
          onRemoved(removed);
        },
      },
      onState: ({ type }) => {
        if (type === 'synced') failingSinceMs = undefined;
        else failingSinceMs ??= clock.monotonicMs();
      },
    },
  };
}

function keyOf({ metadata }: RawObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
