import type { ObjectKey } from '../../config/object.js';
import type { ProxyType } from '../../model/proxy.js';
import type { ProxyConnection, WatchSnapshot } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import type { Rejection } from '../conditions/object-facts.js';
import { rejectionCauses } from './rejection-causes.js';
import type { RootHistory } from './root-history.js';

/** What proxies refuse at present, by the objects that caused it. */
export interface RejectionBook {
  /** Takes the present connections. The causes of a rejection are found when it is first seen, and then stay. */
  update(connections: readonly ProxyConnection[], context: PushContext): void;
  of(key: ObjectKey): readonly Rejection[];
}

export interface RejectionBookOptions {
  readonly history: Pick<RootHistory, 'changedBetween'>;
  affects(key: ObjectKey, typeUrl: string, proxyType: ProxyType): boolean;
  /** Ledger root of the configuration that a response was made from. */
  rootOfNonce(nonce: string): string;
  /** `cds`, `lds` and so on. */
  shortTypeName(typeUrl: string): string;
}

interface Entry {
  readonly causes: readonly ObjectKey[];
  readonly rejection: Omit<Rejection, 'others'>;
}

/** A thousand proxies may refuse the same thing: one object is told of this many. */
const MAX_REJECTIONS = 20;

export function createRejectionBook(options: RejectionBookOptions): RejectionBook {
  let entries = new Map<string, Entry>();
  let byObject = new Map<ObjectKey, Rejection[]>();

  const read = ({ proxy }: ProxyConnection, watch: WatchSnapshot, context: PushContext): Entry => {
    const { code, message, nonce } = watch.rejection ?? { code: '', message: '', nonce: '' };
    const changed =
      watch.ackedRoot === '' ? undefined : options.history.changedBetween(watch.ackedRoot, options.rootOfNonce(nonce));
    const affecting = changed && new Set([...changed].filter((key) => options.affects(key, watch.typeUrl, proxy.type)));
    return {
      causes: rejectionCauses(message, affecting, context),
      rejection: {
        proxy: workloadOf(proxy.id),
        type: options.shortTypeName(watch.typeUrl),
        text: message === '' ? code : message,
      },
    };
  };

  return {
    update: (connections, context) => {
      const next = new Map<string, Entry>();
      for (const connection of connections) {
        for (const watch of connection.watches.values()) {
          if (watch.rejection === undefined) continue;
          const id = `${connection.id} ${watch.typeUrl} ${watch.rejection.nonce}`;
          next.set(id, entries.get(id) ?? read(connection, watch, context));
        }
      }
      entries = next;
      byObject = new Map();
      for (const { causes, rejection } of entries.values()) {
        for (const cause of causes) {
          const told = byObject.get(cause) ?? [];
          if (told.length < MAX_REJECTIONS) told.push({ ...rejection, others: causes.filter((key) => key !== cause) });
          byObject.set(cause, told);
        }
      }
    },
    of: (key) => byObject.get(key) ?? [],
  };
}

/** `web-1.shop` of `sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local`. */
function workloadOf(nodeId: string): string {
  return nodeId.split('~')[2] ?? nodeId;
}
