import type { ObjectKey } from '../../config/object.js';
import { PUSH_ORDER, shortTypeName, TypeUrl } from '../../envoy/type-urls.js';
import type { ProxyConnection, WatchSnapshot } from '../../model/proxy-connection.js';
import { compareText } from '../order.js';
import type { Views } from '../views.js';

/** How far behind a proxy is with one type of resources. */
export interface TypeProgress {
  readonly typeUrl: string;
  /** `cds`, `lds` and so on. */
  readonly type: string;
  readonly watch: WatchSnapshot;
  readonly state: 'current' | 'waiting' | 'rejected';
  /** Objects that changed after what the proxy has acknowledged; undefined if that is not known. */
  readonly missing: ReadonlySet<ObjectKey> | undefined;
}

const NOTHING: ReadonlySet<ObjectKey> = new Set();

/** The types that a proxy requests, in the order of pushes. */
export function progressOf({ watches }: ProxyConnection, views: Views): readonly TypeProgress[] {
  const current = views.currentConfigVersion();
  return [...watches.values()]
    .toSorted((first, second) => rank(first) - rank(second) || compareText(first.typeUrl, second.typeUrl))
    .map((watch) => {
      const { typeUrl, sentNonce, sentVersion, ackedNonce, ackedConfigVersion, rejection } = watch;
      const hasNewest =
        (sentNonce !== '' || sentVersion !== '') &&
        sentNonce === ackedNonce &&
        (current === '' || ackedConfigVersion === current);
      const state = rejection === undefined ? (hasNewest ? 'current' : 'waiting') : 'rejected';
      const missing = hasNewest && state === 'current' ? NOTHING : views.changedSince?.(ackedConfigVersion);
      return { typeUrl, type: shortTypeName(typeUrl), watch, state, missing };
    });
}

/** Objects that a proxy lacks in any of its types; undefined if that is not known. */
export function missingObjects(progress: readonly TypeProgress[]): ReadonlySet<ObjectKey> | undefined {
  if (progress.some(({ missing }) => missing === undefined)) return undefined;
  return new Set(progress.flatMap(({ missing = NOTHING }) => [...missing]));
}

const NAMES: ReadonlyMap<string, string> = new Map([
  [TypeUrl.cluster, 'Clusters'],
  [TypeUrl.endpoint, 'Endpoints'],
  [TypeUrl.listener, 'Listeners'],
  [TypeUrl.route, 'Routes'],
  [TypeUrl.virtualHost, 'Virtual hosts'],
  [TypeUrl.extensionConfig, 'Filters'],
  [TypeUrl.nameTable, 'DNS names'],
]);

/** A type as people name it: `Clusters`. */
export function typeTitle(typeUrl: string): string {
  return NAMES.get(typeUrl) ?? typeUrl.slice(typeUrl.lastIndexOf('.') + 1);
}

function rank({ typeUrl }: WatchSnapshot): number {
  const at = PUSH_ORDER.indexOf(typeUrl);
  return at === -1 ? PUSH_ORDER.length : at;
}
