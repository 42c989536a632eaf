import { AuthenticationError } from './authenticator.js';
import type { AuthenticateCaller } from './caller-authentication.js';

/**
 * Callers of one address that may wait for a verdict at once. Nodes, and gateways of other networks, have many proxies
 * behind one address, which all connect when this process starts; those beyond come again in a moment.
 */
const MAX_PENDING = 256;

/** Keeps the place of others free: whoever invents tokens has API servers asked about each of them. */
export function limitPeers(authenticate: AuthenticateCaller, maxPending = MAX_PENDING): AuthenticateCaller {
  const pending = new Map<string, number>();
  return async (credentials) => {
    const host = credentials.peer.replace(/:\d+$/, '');
    const others = pending.get(host) ?? 0;
    if (others >= maxPending) {
      throw new AuthenticationError(`${others} callers at this address wait already; try again`, { isTemporary: true });
    }
    pending.set(host, others + 1);
    try {
      return await authenticate(credentials);
    } finally {
      const left = (pending.get(host) ?? 1) - 1;
      if (left === 0) pending.delete(host);
      else pending.set(host, left);
    }
  };
}
