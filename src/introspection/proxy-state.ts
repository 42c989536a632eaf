import { shortTypeName } from '../envoy/type-urls.js';
import type { ProxyConnection } from '../model/proxy-connection.js';

/** `current`: the proxy has acknowledged everything. `waiting`: not yet. `rejected`: it has rejected a response. */
export type ProxyState =
  | { readonly type: 'current' }
  | { readonly type: 'waiting' }
  | { readonly type: 'rejected'; readonly rejections: readonly string[] };

/** Proxies that reject come first in lists, then those that wait. */
export const URGENCY = { rejected: 0, waiting: 1, current: 2 } as const;

/** @param currentConfigVersion configuration version of the newest snapshot; empty if tracking is off, then only nonces decide */
export function proxyState({ watches }: ProxyConnection, currentConfigVersion: string): ProxyState {
  const all = [...watches.values()];
  const rejections = all.flatMap(({ typeUrl, rejection }) =>
    rejection === undefined ? [] : [`${shortTypeName(typeUrl)}: ${rejection.message}`],
  );
  if (rejections.length > 0) return { type: 'rejected', rejections };
  const current = all.every(
    ({ sentNonce, sentVersion, ackedNonce, ackedConfigVersion }) =>
      // A proxy that connected with all resources has got no response, so there is no nonce.
      (sentNonce !== '' || sentVersion !== '') &&
      sentNonce === ackedNonce &&
      (currentConfigVersion === '' || ackedConfigVersion === currentConfigVersion),
  );
  return { type: all.length > 0 && current ? 'current' : 'waiting' };
}
